"""Every option of a subscription is a flag of vokter subscribe."""

from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from schemas.records.fields import RecordField, record_fields
from schemas.records.page_requests import Header
from schemas.records.subscriptions import Options
from schemas.records.views import Selector, ViewOptions
from streams.cli.jobs.flags import with_option_flags


def parsed(*flags: str, names: tuple[str, ...] = ()) -> Options:
    """Run a command with flags, and return the options that it gets."""
    found: list[Options] = []
    app = typer.Typer()

    @app.command()
    @with_option_flags(*names)
    def command(url: str, *, options: Options) -> None:
        """Note the options."""
        assert url == "u"
        found.append(options)

    result = CliRunner().invoke(app, ["u", *flags])
    assert result.exit_code == 0, result.output
    return found[0]


def test_without_flags_the_options_are_the_defaults_but_case_is_ignored() -> None:
    assert parsed() == Options(ignore_case=True)


def test_case_counts_if_that_is_asked_for() -> None:
    assert parsed("--no-ignore-case") == Options()


def test_a_command_may_have_flags_for_some_options_alone() -> None:
    names = "scope", "ignore_noise"
    given = parsed("--scope", "block", "--ignore-noise", names=names)
    assert given == Options(scope="block", ignore_noise=True)
    with pytest.raises(AssertionError, match="No such option"):
        parsed("--notify-moves", names=names)


def test_times_have_units() -> None:
    assert parsed("--interval", "5m", "--lease", "2h") == Options(
        interval=300, lease=7200, ignore_case=True
    )


def test_a_stock_is_read_by_itself_or_in_a_part() -> None:
    assert parsed("--stock").view == ViewOptions(stock=True)
    part = ViewOptions(stock=True, select=(Selector(css="#s"),))
    assert parsed("--stock", "--select", "#s").view == part


VALUES: dict[Any, tuple[Any, tuple[str, ...]]] = {
    str: ("text/html", ("text/html",)),
    int: (7, ("7",)),
    bool: (True, ()),
    tuple[int, ...]: ((404,), ("404",)),
    tuple[str, ...]: (("gods",), ("gods",)),
}


@pytest.mark.parametrize(
    "field",
    [field for field in record_fields(Options) if not field.about.nested],
    ids=lambda field: field.name,
)
def test_a_flag_sets_its_option_and_no_other(field: RecordField) -> None:
    value, words = VALUES[field.type]
    if field.about.choices:
        value = field.about.choices[-1]
        words = (value,)
    given: Any = {"ignore_case": True, field.name: value}
    flag = "tag" if field.name == "tags" else field.name.replace("_", "-")
    assert parsed(f"--{flag}", *words) == Options(**given)


def test_the_flag_of_a_list_may_be_repeated() -> None:
    assert parsed("--on-status", "404", "--on-status", "410").on_status == (404, 410)


def test_the_failures_that_are_allowed_may_be_never() -> None:
    assert parsed("--max-failures", "never").max_failures == 0
    assert parsed("--max-failures", "5").max_failures == 5


def test_parts_of_a_page_are_flags_that_may_be_repeated() -> None:
    view = parsed("--select", "h1", "--select", "#price", "--exclude", "nav").view
    assert view == ViewOptions(
        select=(Selector(css="h1"), Selector(css="#price")), exclude=(Selector(css="nav"),)
    )


def test_a_file_has_a_whole_view_and_flags_add_to_it(tmp_path: Path) -> None:
    file = tmp_path / "view.json"
    file.write_text('{"select": [{"css": "main"}]}', "utf-8")
    view = parsed("--view", str(file), "--select", "h1", "--exclude", "nav").view
    assert [each.css for each in view.select] == ["main", "h1"]
    assert [each.css for each in view.exclude] == ["nav"]


@pytest.mark.parametrize("content", ["[]", '{"selects": []}', '{"select": [{"css": 5}]}'])
def test_a_file_without_a_view_is_refused_with_its_position(tmp_path: Path, content: str) -> None:
    file = tmp_path / "view.json"
    file.write_text(content, "utf-8")
    with pytest.raises(AssertionError, match="Invalid value"):
        parsed("--view", str(file))


def test_how_a_page_is_got_is_said_by_flags(tmp_path: Path) -> None:
    file = tmp_path / "view.json"
    file.write_text('{"headers": {"X-A": "1"}, "language": "fr", "proxy": "eu"}')
    flags = "--method", "POST", "--body", "{}", "--header", "X-B: 2:3", "--language", "de"
    found = parsed("--view", str(file), *flags, "--user-agent", "me").view
    assert found == ViewOptions(
        method="POST",
        headers=(Header("X-A", "1"), Header("X-B", "2:3")),
        body="{}",
        user_agent="me",
        language="de",
        proxy="eu",
    )


def test_a_header_without_a_value_is_refused() -> None:
    with pytest.raises(AssertionError, match="NAME: VALUE"):
        parsed("--header", "X-A")


def test_a_flag_asks_for_the_article_alone() -> None:
    assert parsed("--main").view == ViewOptions(main=True)
    given = parsed("--attribute", "href", "--attribute", "alt").view
    assert given == ViewOptions(attributes=("href", "alt"))
    assert parsed().view == ViewOptions()
