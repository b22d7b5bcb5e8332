"""A server made with the official SDK: `python sdk_server.py stdio`, or `streamable-http PORT`, or `sse PORT`."""

import sys

try:
    from mcp.server.fastmcp import FastMCP
except ImportError:  # from 2.0 on
    from mcp.server.mcpserver import MCPServer as FastMCP
from mcp.types import ToolAnnotations

server = FastMCP("shop")


@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def handle(order_id: str) -> str:
    """Look an order up."""
    return order_id


@server.tool()
def refund_order(order_id: str, amount: float, note: str | None = None) -> str:
    """Pay an order back."""
    return f"{order_id} {amount} {note}"


if __name__ == "__main__":
    if len(sys.argv) > 2:
        import uvicorn

        app = server.streamable_http_app() if sys.argv[1] == "streamable-http" else server.sse_app()
        if len(sys.argv) > 3:  # only for those who bring this
            inner = app

            async def app(scope, receive, send):
                if scope["type"] == "http" and dict(scope["headers"]).get(b"authorization") != sys.argv[3].encode():
                    await send({"type": "http.response.start", "status": 401, "headers": []})
                    await send({"type": "http.response.body", "body": b"who are you?"})
                    return
                await inner(scope, receive, send)

        uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="error")
    else:
        server.run("stdio")
