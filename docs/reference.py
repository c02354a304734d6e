"""Write the tables of the reference that follow from the code: ``make schemas`` runs it.

Each table stands between two marks, the first of which names it. A test compares the tables with
the code.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import typer
import yaml
from annotated_types import Ge, Gt, Le
from pydantic.fields import FieldInfo

import vokter
from connectors.api.description import description
from schemas.records.codes import Code
from schemas.records.crawls import CrawlOptions
from schemas.records.fields import record_fields
from schemas.records.numbers import Conditions, NumberOptions
from schemas.records.subscriptions import Options
from schemas.records.topics import DEAD_LETTERS, TOPICS, Topic
from schemas.records.views import ViewOptions
from streams.app import AGENTS, API, Neighbour
from streams.cli.commands import COMMANDS, SECTIONS, load_command
from streams.settings import Settings, variable
from streams.values.agent import Agent, Table, changelog_topic
from tests.docs.error_texts import (
    challenge_texts,
    channel_texts,
    fetch_texts,
    loss_texts,
    record_texts,
    store_texts,
)
from tests.fakes.metrics import known

DOCS = Path(__file__).parent
_SIGNS = {Ge: "≥ {0.ge}", Gt: "> {0.gt}", Le: "≤ {0.le}"}
_WITH_VIEWS = ["watch", "try", "backtest", "reprocess", "subscribe"]
_LIBRARY = re.compile(r'^    "([\w.-]+)[^"]*", # (.+)$', re.MULTILINE)
_MARKED = re.compile(r"(<!-- written by make schemas: (\w+) -->\n).*?(?=<!-- end -->)", re.DOTALL)


def settings_tables() -> str:
    """Return the variables with their defaults, limits and meanings."""
    fields = Settings.model_fields.items()
    return _table(
        ("variable", "default", "allowed", "meaning"),
        [(f"`{variable(name)}`", _default(f), _allowed(f), f.description) for name, f in fields],
    )


def metrics_tables() -> str:
    """Return the metrics with their types, labels and meanings."""
    found = [
        (f"`{each.name}`", each.kind, ", ".join(f"`{label}`" for label in each.labels), each.text)
        for each in known()
    ]
    return _table(("metric", "type", "labels", "meaning"), found)


def commands_tables() -> str:
    """Return the commands by their sections in --help, and all options."""
    lines = {name: list(_lines(load_command(name), name)) for name in COMMANDS}
    options: dict[tuple[str, str], list[str]] = {}
    for name, below in lines.items():
        for _, command in below:
            for option in _options(command):
                used = options.setdefault(option, [])
                used.extend([name] if name not in used else [])
    parts = [
        f"### {section}\n\n"
        + _table(
            ("command", "does"),
            [_command(*line) for name in names for line in lines[name]],
        )
        for section, names in SECTIONS.items()
    ]
    rows = [(f"`{flag}`", _users(used), about) for (flag, about), used in options.items()]
    return "\n".join(
        (*parts, "### All options\n", _table(("option", "of", "meaning"), sorted(rows)))
    )


def topics_tables() -> str:
    """Return the topics with their keys, records, processes and limits."""
    described = yaml.load((DOCS / "asyncapi.yaml").read_text("utf-8"), yaml.CSafeLoader)
    messages = described["components"]["messages"]
    rows = [
        (
            f"`{topic.name}`",
            messages[_records(topic)[0]]["bindings"]["kafka"]["key"]["description"],
            _names(_records(topic)) if topic.kinds else "the original bytes",
            _processes(topic, "writes"),
            _processes(topic, "reads"),
            "last of each key" if topic.keeps_last else "retention",
            "16 MB" if topic.large else "1 MB",
        )
        for topic in TOPICS
    ]
    titles = "topic", "key", "records", "written by", "read by", "kept", "largest message"
    return _table(titles, rows)


def changelogs_tables() -> str:
    """Return the topics of the agents' tables."""
    rows = [
        (
            f"`{changelog_topic('', agent.name, table.name)}`",
            _names([row.__name__ for row in table.rows]),
            _kept(table),
        )
        for agent in AGENTS.values()
        for table in agent.tables
    ]
    return _table(("topic", "rows", "kept"), rows)


def rights_table() -> str:
    """Return the topics that each agent has to read and write, and its consumer group."""
    rows = [
        (
            f"`{agent.name}`",
            _names(topic.name for topic in agent.reads),
            _names(topic.name for topic in (*agent.writes, DEAD_LETTERS)),
            f"`{agent.name}`",
        )
        for agent in AGENTS.values()
    ]
    return _table(("process", "read", "write", "consumer group"), rows)


def fields_tables(kind: type, title: str) -> str:
    """Return the fields of a record as JSON has them."""
    rows = [
        (
            f"`{each.json_name}`",
            _json_default(each.default),
            _numbers(each.allowed.rstrip(",")) if each.is_limited else "",
            each.about.meaning.rstrip("."),
        )
        for each in record_fields(kind)
    ]
    return _table((title, "default", "allowed", "meaning"), rows)


def answer_table(schema: str, title: str, names: tuple[str, ...] = (), others: str = "") -> str:
    """Return the fields of an answer, or those with the names, as OpenAPI describes them.

    >>> print(answer_table("Snapshot", "snapshot", ("until",)), end="")
    | snapshot | meaning |
    |---|---|
    | `until` | When it was replaced or its watch ended, or `null` |
    """
    known = _answers()
    *inherited, own = known[schema].get("allOf", [known[schema]])
    meanings = {name: _meaning(known, field) for name, field in own["properties"].items()}
    shown = [name for name in names or meanings if meanings[name]]
    left = [name for name in meanings if name not in shown]
    left += [each.json_name for each in record_fields(Options) if inherited]
    rows = [(f"`{name}`", meanings[name]) for name in shown]
    return _table((title, "meaning"), [(_names(left), others), *rows] if others else rows)


def options_of_add() -> str:
    """Return the names of all options as Python has them."""
    return f"`add` takes `Options` with {_names(each.name for each in fields(Options))}.\n"


def codes_tables() -> str:
    """Return the codes of requests, with the exceptions of the library."""
    exceptions = {getattr(getattr(vokter, name), "code", None): name for name in vokter.__all__}
    rows = [
        (
            f"`{int(code)}`",
            code.status,
            f"`{exceptions[code]}`" if code in exceptions else "",
            code.message,
        )
        for code in Code
    ]
    return _table(("code", "HTTP", "exception", "message"), rows)


def texts_list(found: Callable[[], set[str]]) -> str:
    """Return the texts of which the page of errors has no remedy."""
    page = by_hand((DOCS / "errors.md").read_text("utf-8"))
    return "".join(f"- `{each}`\n" for each in sorted(found()) if f"`{each}`" not in page)


def dependencies_table(group: str) -> str:
    """Return the libraries of a list in pyproject.toml, with the comment of each."""
    project = (DOCS.parent / "pyproject.toml").read_text("utf-8")
    listed = project.partition(f"\n{group} = [\n")[2].partition("\n]\n")[0]
    found = sorted(_LIBRARY.findall(listed), key=lambda each: str(each[0]).lower())
    return _table(("library", "for"), found)


def decisions_list() -> str:
    """Return the titles of all decisions, with links."""
    found = sorted((DOCS / "decisions").glob("0*.md"))
    titles = [path.read_text("utf-8").partition("\n")[0].removeprefix("# ") for path in found]
    return "".join(f"- [{title}]({path.name})\n" for title, path in zip(titles, found, strict=True))


BODY = (
    "returned",
    "pictureChange",
    "tags",
    "name",
    "pages",
    "document",
    "number",
    "stood",
    "history",
    "verdict",
    "because",
    "summary",
)
"""Fields that a webhook's body has if they are there."""
IN_BODY = "As in the [body](webhook.md)"
LISTED = (
    "id",
    "change",
    "subscription",
    "clientUrl",
    "session",
    "documentContentType",
    "truncated",
    "test",
    "at",
)

TABLES: dict[str, Callable[[], str]] = {
    "settings": settings_tables,
    "metrics": metrics_tables,
    "commands": commands_tables,
    "topics": topics_tables,
    "changelogs": changelogs_tables,
    "rights": rights_table,
    "options": partial(fields_tables, Options, "option"),
    "add": options_of_add,
    "crawl": partial(fields_tables, CrawlOptions, "field of `crawl`"),
    "view": partial(fields_tables, ViewOptions, "field of `view`"),
    "number": partial(fields_tables, NumberOptions, "field of `number`"),
    "decisions": decisions_list,
    "libraries": partial(dependencies_table, "dependencies"),
    "servers": partial(dependencies_table, "server"),
    "subscriptions": partial(answer_table, "Subscription", "field", others="As in the request"),
    "covered": partial(answer_table, "CoveredPage", "field"),
    "bulk": partial(answer_table, "Bulk", "field"),
    "changes": partial(answer_table, "Change", "change"),
    "found": partial(answer_table, "Found", "each of `found`"),
    "snapshots": partial(answer_table, "Snapshot", "snapshot"),
    "evidence": partial(answer_table, "Evidence", "member"),
    "notifications": partial(answer_table, "Notification", "notification", LISTED, IN_BODY),
    "deliveries": partial(answer_table, "Delivery", "delivery"),
    "tried": partial(answer_table, "SeenPage", "answer"),
    "backtest": partial(answer_table, "Backtest", "answer"),
    "diffs": partial(answer_table, "Diff", "field of a diff"),
    "bodies": partial(answer_table, "Notification", "field of a body", BODY),
    "credentials": partial(answer_table, "GivenCredentials", "member"),
    "codes": codes_tables,
    "fetches": partial(texts_list, fetch_texts),
    "losses": partial(texts_list, loss_texts),
    "refusals": partial(texts_list, store_texts),
    "challenges": partial(texts_list, challenge_texts),
    "records": partial(texts_list, record_texts),
    "channels": partial(texts_list, channel_texts),
    "when": partial(fields_tables, Conditions, "field of `when`"),
}


def written(page: str) -> str:
    """Return a page with the tables that its marks name."""
    return _MARKED.sub(lambda mark: f"{mark[1]}\n{TABLES[mark[2]]()}\n", page)


def by_hand(page: str) -> str:
    """Return what people keep true of a page: all but the tables between marks."""
    return _MARKED.sub("", page)


def _records(topic: Topic) -> list[str]:
    return [kind.__name__ for kind in topic.kinds] or ["DeadLetter"]


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _processes(topic: Topic, does: str) -> str:
    everyone: list[Agent | Neighbour] = [*AGENTS.values(), API]
    found = [each.name for each in everyone if topic in getattr(each, does)]
    return ", ".join(found) or "see below"


def _kept(table: Table) -> str:
    if table.kept_s is None:
        return "compact"
    time = (
        f"{table.kept_s // 86_400} days"
        if table.kept_s >= 86_400
        else f"{table.kept_s // 3_600} hours"
    )
    return f"compact, and deleted after {'retention + ' * table.after_retention}{time}"


def _json_default(value: Any) -> str:
    if value is MISSING:
        return "required"
    if value in (None, "", ()) or is_dataclass(value):
        return "none"
    return f"`{value if isinstance(value, str) else json.dumps(value)}`"


def _numbers(text: str) -> str:
    return re.sub(r"\b\d{4,}\b(?!\.)", lambda number: f"{int(number[0]):,}", text)


def _table(titles: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    lines = [" | ".join(map(str, row)) for row in (titles, *rows)]
    return "\n".join((f"| {lines[0]} |", "|---" * len(titles) + "|", *map(_row, lines[1:]), ""))


def _row(cells: str) -> str:
    return re.sub(r"\|  (?=\|)", "| ", f"| {cells} |")


@cache
def _answers() -> dict[str, Any]:
    found: dict[str, Any] = description()["components"]["schemas"]
    return found


def _meaning(known: dict[str, Any], field: dict[str, Any]) -> str:
    target = known[field["$ref"].rpartition("/")[2]] if "$ref" in field else {}
    about = target | field
    text, values = about.get("description", "").rstrip("."), about.get("enum", ())
    if values and f"`{values[0]}`" not in text:
        text = ": ".join(filter(None, (text, _names(values))))
    is_optional = "null" in about.get("type", ()) or {"type": "null"} in about.get("anyOf", ())
    return f"{text}, or `null`" if text and is_optional and "null" not in text else text


def _default(field: FieldInfo) -> str:
    if field.default_factory is not None:
        return "the user's data folder"
    if isinstance(field.default, tuple) and field.default:
        return f"`{','.join(map(str, field.default))}`"
    return f"`{field.default}`" if field.default not in (None, ()) else "none"


def _allowed(field: FieldInfo) -> str:
    return ", ".join(filter(None, map(_limit, field.metadata)))


def _limit(rule: Any) -> str:
    if pattern := getattr(rule, "pattern", None):
        return "`" + str(pattern).strip("^$").replace("|", "`, `").strip("()") + "`"
    return _SIGNS[type(rule)].format(rule) if type(rule) in _SIGNS else ""


def _lines(command: Any, *path: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every command with its name, except groups of commands."""
    if not isinstance(command, typer.core.TyperGroup):
        yield path, command
        return
    for name, found in command.commands.items():
        yield from _lines(found, *path, name)


def _command(path: tuple[str, ...], command: Any) -> tuple[str, str]:
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    names = [
        (each.metavar or each.name.upper()).strip("[].").replace("|", "/")
        + ("…" if each.nargs != 1 else "")
        for each in arguments
    ]
    return f"`{' '.join(('vokter', *path, *names))}`", _first(command.help)


def _options(command: Any) -> Iterator[tuple[str, str]]:
    for each in command.params:
        if each.param_type_name == "option" and "--help" not in each.opts and not each.hidden:
            yield (
                f"{' / '.join(each.opts)} {(each.metavar or '').replace('|', '/')}".rstrip(),
                _first(each.help),
            )


def _users(commands: list[str]) -> str:
    if commands == _WITH_VIEWS:
        return "with views"
    return ", ".join(commands) if len(commands) < 15 else "most commands"


def _first(text: str | None) -> str:
    """Return the first paragraph of a help."""
    return " ".join((text or "").partition("\n\n")[0].split())


if __name__ == "__main__":
    for path in DOCS.rglob("*.md"):
        page = path.read_text("utf-8")
        if written(page) != page:
            path.write_text(written(page), "utf-8")
