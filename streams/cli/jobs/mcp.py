"""``vokter mcp``: the tools of an assistant by standard input and output, as its program asks."""

from typing import Annotated

import typer

from streams.cli.groups import command_app

app = command_app()
MISSING = "It needs more libraries: pip install 'vokter[mcp]'"


@app.command("mcp")
def mcp_command(
    api: Annotated[
        str, typer.Option(envvar="API", help="URL of the API.", show_default=True)
    ] = "http://127.0.0.1:9000",
) -> None:
    """Serve the Model Context Protocol to an assistant, which starts this command.

    The API key, if the deployment has any, is in the variable KEY. A key of the role read gets
    no tools that change anything.
    """
    import os

    import aiohttp
    import anyio

    from connectors.serving import BASE

    try:
        import mcp  # noqa: F401 - whether it is there
    except ImportError:
        raise typer.BadParameter(MISSING) from None
    from mcp.server.stdio import stdio_server

    from connectors.mcp.calls import RestCalls
    from connectors.mcp.server import build

    key = os.environ.get("KEY")

    async def serve() -> None:
        async with aiohttp.ClientSession() as http, stdio_server() as (reading, writing):
            root = api.removesuffix("/").removesuffix(BASE)
            rest = RestCalls(http, root, f"Bearer {key}" if key else None)
            server = build(lambda _: rest)
            await server.run(reading, writing, server.create_initialization_options())

    anyio.run(serve)
