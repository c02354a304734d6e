"""A hook of the site: links from a page to files outside docs/."""

import posixpath
import re
from typing import Any

LINK = re.compile(r"\[([^\]\n]+)\]\(([^)\s:]+)\)")


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: object) -> str:
    """Lead such links into the repository, or nowhere if the site is built without its URL.

    GitHub follows them as they stand; the site has no such files.
    """
    folder, repository = posixpath.dirname(page.file.src_uri), config.repo_url

    def outside(link: re.Match[str]) -> str:
        text, target = link.groups()
        path = posixpath.normpath(posixpath.join("docs", folder, target))
        if path.startswith("docs/"):
            return link[0]
        return f"[{text}]({repository.rstrip('/')}/blob/HEAD/{path})" if repository else text

    return LINK.sub(outside, markdown)
