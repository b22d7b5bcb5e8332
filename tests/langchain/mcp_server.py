"""A small MCP server over standard input and output, started by the tests as a process of its own."""

from __future__ import annotations

import base64
from typing import Any

from mcp.server.fastmcp import FastMCP, Image
from mcp.types import ToolAnnotations

server = FastMCP("desk", log_level="ERROR")
SENT: list[str] = []


@server.tool(annotations=ToolAnnotations(destructiveHint=True))
def send_note(to: str, text: str = "hello") -> dict[str, Any]:
    """Send a note."""
    SENT.append(to)
    return {"id": f"note_{len(SENT)}", "status": "sent", "to": to}


@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def send_report(day: str) -> str:
    """Send back what happened on a day; it only looks, whatever its name says."""
    return f"Error: nothing on {day}"


@server.tool()
def pay(amount: int) -> str:
    """Pay an amount."""
    if amount > 100:
        raise ValueError("declined")
    return f"paid {amount}"


@server.tool(structured_output=False)
def draw(colour: str) -> list[Any]:
    """Draw a picture."""
    pixel = base64.b64decode("iVBORw0KGgo=")
    return [f"a {colour} picture", Image(data=pixel, format="png")]


if __name__ == "__main__":
    server.run("stdio")
