"""Tool specifications: name, description and what kind of tool it is (acting, reading, shell or unknown).

`spec` holds the value, `kind` decides what kind a tool is, `call` what kind one call of it is, `read` turns whatever
describes tools into values.
"""

from __future__ import annotations

from receipts_middleware.core.toolspec.call import kind_of_call
from receipts_middleware.core.toolspec.kind import is_thought, kind_of, name_tokens
from receipts_middleware.core.toolspec.read import find_spec, read_tools
from receipts_middleware.core.toolspec.spec import ToolKind, ToolSpec

__all__ = ["ToolKind", "ToolSpec", "find_spec", "is_thought", "kind_of", "kind_of_call", "name_tokens", "read_tools"]
