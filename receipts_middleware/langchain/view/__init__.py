"""The model's view: messages without our keys, each tool result with its own line, and one block for what is gone.

`render` renders single messages and remembers them, `walk` goes over a request, `build` puts the view together.
"""

from receipts_middleware.langchain.view.build import RequestView, ViewBuilder
from receipts_middleware.langchain.view.render import Placement, ViewOptions

__all__ = ["Placement", "RequestView", "ViewBuilder", "ViewOptions"]
