import ast
import inspect

import vokter
from tests.docs.reading import blocks, names, rows, text
from vokter import JobManager, RequestRejected, VokterError

PAGE = text("docs/library.md")


def test_the_page_has_every_exception_with_its_code() -> None:
    told = {row[0].strip("`"): row[1] for row in rows(PAGE, "exception")}
    found = {
        name: str(getattr(kind, "code", ""))
        for name in vokter.__all__
        if isinstance(kind := getattr(vokter, name), type) and issubclass(kind, VokterError)
    }
    assert told == {
        n: c for n, c in found.items() if n not in {"VokterError", RequestRejected.__name__}
    }


def test_the_page_has_every_option_of_add() -> None:
    parameters = inspect.signature(JobManager.add).parameters.values()
    options = {each.name for each in parameters if each.kind is each.KEYWORD_ONLY}
    (line,) = [line for line in PAGE.splitlines() if line.startswith("`add` takes")]
    assert options == names(line) - {"add"}


def test_the_examples_of_the_page_and_the_readme_use_no_option_that_there_is_not() -> None:
    options = inspect.signature(JobManager.add).parameters
    for source in (*blocks(PAGE, "python"), blocks(text("README.md"), "python")[0]):
        for call in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)):
            if isinstance(call.func, ast.Attribute) and call.func.attr == "add":
                assert {keyword.arg for keyword in call.keywords} <= options.keys()
