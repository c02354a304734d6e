"""A hook of the site: its icon, links to files outside docs/, and the order of its search."""

import posixpath
import re
from pathlib import Path
from typing import Any

SYNONYMS = {
    "from-one-machine-to-many.md": ("k8s",),
    "how-to/get-a-view-right.md": ("regex",),
    "how-to/pages-that-need-scripts.md": ("javascript",),
    "how-to/send-to-channels.md": ("email", "sms"),
    "how-to/sign-in-with-openid-connect.md": ("sso",),
}
"""Words that readers search for and the page does not have; a search ranks tags first."""
LINK = re.compile(r"\[([^\]\n]+)\]\(([^)\s:]+)\)")


def on_files(files: Any, *, config: Any) -> Any:
    """Add the product's icon, which is outside docs/."""
    from mkdocs.structure.files import File  # noqa: PLC0415 - only `make docs` has it

    icon = Path(__file__).parents[1] / "connectors/page/static/icon.svg"
    files.append(File.generated(config, config.theme["favicon"], abs_src_path=str(icon)))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: object) -> str:
    """Lead such links into the repository, or nowhere if the site is built without its URL.

    GitHub follows them as they stand; the site has no such files. A search finds a page by its
    synonyms, too, and decisions last.
    """
    folder, repository = posixpath.dirname(page.file.src_uri), config.repo_url
    if folder == "decisions":
        page.meta["search"] = {"boost": 1e-4}  # a title counts a thousand times as much as text
    if synonyms := SYNONYMS.get(page.file.src_uri):
        page.meta["tags"] = list(synonyms)

    def outside(link: re.Match[str]) -> str:
        text, target = link.groups()
        path = posixpath.normpath(posixpath.join("docs", folder, target))
        if path.startswith("docs/"):
            return link[0]
        return f"[{text}]({repository.rstrip('/')}/blob/HEAD/{path})" if repository else text

    return LINK.sub(outside, markdown)
