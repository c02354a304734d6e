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


@pytest.mark.parametrize("hostile", [">" * 50_000, "- " * 10_000, "[" * 10_000, "*a " * 10_000])
def test_hostile_markdown_is_read(hostile: str) -> None:
    assert isinstance(read_document(hostile.encode(), "text/markdown", None).text, str)
