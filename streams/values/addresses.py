"""A page, a URL: the parts of a link about the visitor instead of the page are left out."""

import re
from collections.abc import Iterable, Iterator

_OF_VISITOR = re.compile(
    r"(?:php|asp|j)?sess(?:ion)?_?(?:id|key)?|phpsessid|jsessionid|aspsessionid\w*|sid|cfid|cftoken"
    r"|zenid|oscsid|s?uid"
    r"|utm_\w+|fbclid|gclid|dclid|msclkid|yclid|mc_[ce]id|igshid|_ga|_gl|ref_src",
    re.IGNORECASE,
)
"""Names of parameters for a session, or a campaign."""
_PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/?;]*", re.IGNORECASE)


def page_address(url: str) -> str:
    """Return a canonical URL without session ids and campaign parameters.

    >>> page_address("https://example.org/a;jsessionid=1F?sid=9&id=3&utm_source=x")
    'https://example.org/a?id=3'
    """
    path, mark, query = url.partition("?")
    if ";" in path:
        path = _PATH_SESSION.sub("", path)
    if not mark:
        return path
    parameters = filter(None, query.split("&"))
    kept = [each for each in parameters if not _OF_VISITOR.fullmatch(each.partition("=")[0])]
    return f"{path}?{'&'.join(kept)}" if kept else path


def page_addresses(urls: Iterable[str], own: str) -> Iterator[str]:
    """Yield the addresses of the links of the page ``own``, each once, except for its own."""
    seen = {own}
    for url in urls:
        address = page_address(url)
        if address not in seen:
            seen.add(address)
            yield address
