"""HTML to text: the whole reader compared with beautifulsoup4 and lxml.

The reader also finds the charset, drops what is hidden, sets blocks apart and gives
NFKC; of beautifulsoup4 only parsing and ``get_text`` are measured.
"""

import random

from bs4 import BeautifulSoup
from rich.table import Table

from bench.measuring import Run, typical
from connectors.readers.reading import read_document
from streams.text.tokens import WORD

PACKAGES = ("selectolax", "beautifulsoup4", "lxml")
SIZE = 61_000
TIMES = 25
HARD = """<title>Title</title><p>wo<b>rd</b> <i style="display: none">unshown</i> a&shy;b</p>
<noscript>unscripted</noscript><template>unused</template><svg><title>tip</title></svg><p>last"""
_SYLLABLES = [first + second for first in "bdfgklmnprstvz" for second in "aeiouäé"]
_HEAD = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>News</title>
<style>{style}</style><script>{script}</script></head><body><header><nav><ul>{menu}</ul></nav>
</header><main>"""
_FOOT = "</main><footer><p>&copy; 2026 <a href='/about'>About</a></p></footer></body></html>"


def table(run: Run) -> Table:
    """Read a page of running text, one that is mostly markup, and one of hard cases."""
    result = Table("page", "bytes", "elements", "reader ms", "bs4+lxml ms", "ratio", "words",
                   "of one only", title="HTML to text")  # fmt: skip
    pages = {"articles": page(run.seed, 0.02), "links": page(run.seed, 0.5), "hard cases": HARD}
    for name, text in pages.items():
        body = text.encode()
        soup = BeautifulSoup(body, "lxml")
        ours, theirs = set(words(ours_of(body))), set(words(soup.get_text(" ")))
        quick = typical(lambda body=body: ours_of(body), TIMES)  # type: ignore[misc]
        slow = typical(lambda body=body: theirs_of(body), TIMES)  # type: ignore[misc]
        result.add_row(name, f"{len(body):,}", f"{len(soup.find_all(True)):,}",
                       f"{quick * 1e3:.2f}", f"{slow * 1e3:.2f}", f"{slow / quick:.1f}",
                       f"{len(ours):,}", " ".join(sorted(ours ^ theirs)) or "none")  # fmt: skip
    return result


def ours_of(body: bytes) -> str:
    """Read as the fetch agent does."""
    return read_document(body, "text/html; charset=utf-8", None).text


def theirs_of(body: bytes) -> str:
    """Read as the original does."""
    return BeautifulSoup(body, "lxml", from_encoding="utf-8").get_text(" ")


def words(text: str) -> list[str]:
    """Return the words of a text."""
    return WORD.findall(text)


def page(seed: int, links: float, size: int = SIZE) -> str:
    """Make a page of articles, until it has ``size`` characters.

    ``links`` of their words are links with a class and a span.
    """
    chance = random.Random(seed)  # noqa: S311 - to be repeated, not to be secret
    vocabulary = ["".join(chance.choices(_SYLLABLES, k=chance.randint(1, 4))) for _ in range(3_000)]

    def word() -> str:
        text = vocabulary[int(len(vocabulary) ** chance.random()) - 1]
        if chance.random() >= links:
            return text
        return f'<a class="tag-{text}" href="/tags/{text}"><span>{text}</span></a>'

    def sentences() -> str:
        return " ".join(f"{' '.join(word() for _ in range(14))}." for _ in range(4))

    menu = "".join(f'<li class="item"><a href="/{n}">{word()}</a></li>\n' for n in range(40))
    style = "\n".join(f".c{n} {{ margin: {n}px }}" for n in range(150))
    script = "\n".join(f"var v{n} = function () {{ return {n}; }};" for n in range(150))
    parts = [_HEAD.format(style=style, script=script, menu=menu)]
    while sum(map(len, parts)) < size:
        parts.append(f'<article id="a{len(parts)}"><h2>{word()}</h2>\n')
        parts += [f'<p class="text">{sentences()}</p>\n' for _ in range(3)]
        parts.append("<p hidden>not shown</p></article>\n")
    return "".join([*parts, _FOOT])
