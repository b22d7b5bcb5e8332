"""The LangChain and LangGraph side: middleware, helpers for hand-built graphs, and the shipped test model.

The only place that imports LangChain or LangGraph.
"""

from receipts_middleware.langchain.callbacks import ReceiptsCallbackHandler
from receipts_middleware.langchain.collect import carry_context
from receipts_middleware.langchain.harvest import Harvest, harvest
from receipts_middleware.langchain.middleware import EVENT_TYPE, ReceiptsMiddleware
from receipts_middleware.langchain.prompt import DEFAULT_PROMPT
from receipts_middleware.langchain.state import ReceiptsState
from receipts_middleware.langchain.turn import ModelInput
from receipts_middleware.sanitizing import sanitize_messages

__all__ = [
    "DEFAULT_PROMPT",
    "EVENT_TYPE",
    "Harvest",
    "ModelInput",
    "ReceiptsCallbackHandler",
    "ReceiptsMiddleware",
    "ReceiptsState",
    "carry_context",
    "harvest",
    "sanitize_messages",
]
