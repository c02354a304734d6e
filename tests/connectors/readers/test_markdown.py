"""Markdown."""

import pytest

from connectors.readers.reading import read_document

DOCUMENT = """\
The *giant*
===========

Un**believ**able, see [the myth](http://x.test/ "a title") and `code`.
A soft break; caf&eacute; <b>wo</b>rd ~~gone~~.

- one
- two

  > quoted

| eyes | count |
|------|-------|
| all  | 100   |

```python
print("x")
print(2)


print(3)
```

<!-- unseen --><p hidden>hidden</p>

![an image](x.png) &copy;
"""
LINES = [
    "The giant",
    "",
    "Unbelievable, see the myth and code. A soft break; café word gone.",
    "",
    "one",
    "",
    "two",
    "",
    "quoted",
    "",
    "eyes\tcount",
    "all\t100",
    "",
    'print("x")',
    "print(2)",
    "",
    "print(3)",
    "",
    "©",
]


@pytest.mark.parametrize("kind", ["text/markdown; charset=utf-8", "text/x-markdown"])
def test_markdown_is_read_as_it_is_rendered(kind: str) -> None:
    assert read_document(DOCUMENT.encode(), kind, None).text.split("\n") == LINES


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("[Argus](file:///a) ~asleep~ ![](data:x)", "Argus asleep"),
        ("* Zeus\n\t* Io\n\n\t* Hera", "Zeus\nIo\n\nHera"),
        ("* Zeus\r\n\t* Io\r\n\r\n\t* Hera", "Zeus\nIo\n\nHera"),
        ("![a ![b](c) d](e) f", "f"),
        ("```\nx\n\n  y\n```", "x\n\ny"),
        (">" * 99 + " near", "near"),
        (">" * 100 + " far\n\nnear", "near"),
    ],
)
def test_markdown_of_one_kind_is_read(markdown: str, text: str) -> None:
    assert read_document(markdown.encode(), "text/markdown", None).text == text


@pytest.mark.parametrize(
    "hostile", [">" * 50_000, "- " * 10_000, "[" * 500_000, "**x*a_ " * 60_000]
)
def test_hostile_markdown_is_read(hostile: str) -> None:
    assert isinstance(read_document(hostile.encode(), "text/markdown", None).text, str)
