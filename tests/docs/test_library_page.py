import ast
import inspect
from dataclasses import fields

import vokter
from tests.docs.reading import blocks, names, text
from vokter import JobManager, Options, VokterError

PAGE = text("docs/library.md")


def test_the_page_names_every_exception() -> None:
    found = {
        name
        for name in vokter.__all__
        if isinstance(kind := getattr(vokter, name), type) and issubclass(kind, VokterError)
    }
    assert found <= names(PAGE) | {"VokterError"}


def test_the_page_lists_every_option_of_add() -> None:
    (line,) = [line for line in PAGE.splitlines() if line.startswith("`add` takes")]
    assert {each.name for each in fields(Options)} <= names(line)


def test_the_examples_of_the_page_and_the_readme_use_only_options_that_exist() -> None:
    allowed = {
        "add": inspect.signature(JobManager.add).parameters.keys(),
        "Options": inspect.signature(Options).parameters.keys(),
    }
    for source in (*blocks(PAGE, "python"), blocks(text("README.md"), "python")[0]):
        for call in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)):
            name = getattr(call.func, "attr", None) or getattr(call.func, "id", "")
            if name in allowed:
                assert {keyword.arg for keyword in call.keywords} <= allowed[name]
