"""An assistant watches a page on a running deployment, and asks what is new."""

import json
import sys
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.types import TextContent

from tests.harness.pages import Pages
from tests.harness.processes import Deployment
from tests.harness.rest import Rest
from tests.harness.waiting import eventually


async def test_what_an_assistant_watches_is_news_when_it_changes(
    shared: Deployment, rest: Rest, pages: Pages
) -> None:
    page = pages.add("<title>Giants</title><p>The giant sleeps.")
    api = f"http://127.0.0.1:{shared.settings.port}"
    line = ["-m", "vokter", "mcp", "--api", api]
    async with Client(StdioServerParameters(command=sys.executable, args=line)) as client:

        async def asked(tool: str, **arguments: Any) -> Any:
            result = await client.call_tool(tool, arguments)
            answer = result.content[-1]
            assert isinstance(answer, TextContent)
            assert not result.is_error, answer.text
            return json.loads(answer.text)

        made = await asked("watch", url=page.url, words=["argus"], interval=1)
        await page.stored()
        page.text = "<title>Giants</title><p>The giant Argus sleeps."

        async def news() -> Any:
            found = (await asked("news", text="argus"))["news"]
            return [each for each in found if each["subscription"] == made["id"]]

        (found,) = await eventually(news, "it is news")
        assert found["changes"][0]["after"] == "The giant Argus sleeps."
        await asked("stop", watch=made["id"])
