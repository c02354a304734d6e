"""The page of errors lists every text of the code, and no other."""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import vokter
from connectors import webhook
from connectors.browser import steps
from connectors.browser.renderer import Renderer
from connectors.channels import answers, message, processes
from connectors.channels.answers import NotedAnswers
from connectors.channels.audit_hook import AuditHook
from connectors.channels.child import Worker
from connectors.http import errors, robots
from connectors.http.response_head import no_http
from connectors.processes.documents import DocumentProcesses
from connectors.stores.sqlite import machine
from schemas.codec.wire import Undecodable
from schemas.records.answers import status_failure
from schemas.records.codes import Code
from schemas.records.egress_policy import EgressPolicy
from streams.agents.deliver import challenges, granting
from streams.agents.deliver.outbox import challenge_budgets as budgets
from streams.agents.deliver.outbox.failures import why_ended, why_gone
from streams.agents.deliver.sending import ShipmentSender
from streams.agents.fetch.login_pages import redirect_reason
from streams.agents.fetch.state.bare_pages import bare_reason
from streams.engine.acks.decoding import FatalEvent
from streams.engine.life.loop_watch import BROKEN
from tests.docs.reading import ROOT, names, rows, text

PAGE = text("docs/errors.md")


def listed(header: str) -> set[str]:
    """Return the first column of a table."""
    return {row[0].strip("`") for row in rows(PAGE, header)}


def template(node: ast.AST) -> str | None:
    """Return a text as the page shows it, with ``…`` for what is filled in."""
    match node:
        case ast.Constant(value=str(literal)):
            return literal
        case ast.JoinedStr(values=parts):
            return "".join(template(part) or "…" for part in parts)
        case ast.Subscript(value=cut):
            return template(cut)
    return None


def calls(place: str) -> Iterator[ast.Call]:
    path = ROOT / place
    for file in path.rglob("*.py") if path.is_dir() else [path]:
        tree = ast.parse(file.read_text("utf-8"))
        yield from (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def arguments(place: str, *callees: str) -> set[str]:
    """Return the texts that calls of these names have as arguments."""
    found = [
        call for call in calls(place) if re.split(r"\W", ast.unparse(call.func))[-1] in callees
    ]
    assert found, f"{place} calls none of {callees}"
    return {text for call in found for arg in call.args if (text := template(arg))}


def texts(function: Callable[..., Any]) -> set[str]:
    """Return the texts of several words in a function, except its docstring."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef)
    body = tree.body[1:] if ast.get_docstring(tree) else tree.body
    parts = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    nodes = [node for part in body for node in ast.walk(part) if id(node) not in parts]
    return {found for node in nodes if (found := template(node)) and " " in found}


def raised(place: str) -> set[str]:
    """Return the names of the errors that are created."""
    made = [ast.unparse(call.func) for call in calls(place)]
    return {name for name in made if re.fullmatch(r"[A-Z]\w+(?:Error|Refused)", name)}


def test_the_page_lists_every_exit_status() -> None:
    exits = re.compile(r"(?:sys\.exit|Exit)\((\d+)\)")
    rooms = [file for room in ("cli", "engine") for file in (ROOT / "streams" / room).rglob("*.py")]
    found = {status for file in rooms for status in exits.findall(file.read_text("utf-8"))}
    assert listed("status") == found | {"0", str(BROKEN)}


def test_the_page_lists_every_reason_why_a_store_is_refused() -> None:
    refused = (
        arguments("connectors/stores", "StoreRefused")
        | arguments("streams/cli", "StoreRefused")
        | arguments("connectors/kafka", "StoreElsewhere")
        | texts(machine._refusal)
    )
    begun = {re.split(r"[.,:;] ", text.removeprefix("Refused: "))[0] for text in refused}
    assert listed("refusal") == begun


def test_the_page_lists_every_code_with_its_http_status_and_exception() -> None:
    documented = {int(code.strip("`")): int(status) for code, status, *_ in rows(PAGE, "code")}
    assert documented == {code: code.status for code in Code}
    raised = {row[0].strip("`"): names(row[2]) for row in rows(PAGE, "code")}
    for name in vokter.__all__:
        code = getattr(getattr(vokter, name), "code", None)
        assert not isinstance(code, int) or raised[str(code)] == {name}


def test_the_page_lists_every_reason_of_a_failed_fetch() -> None:
    assert listed("reason") == (
        arguments("connectors/http", "FetchFailed", "ResponseRefused")
        | {errors.CUT_OFF}
        | arguments("connectors/browser", "FetchFailed")
        | arguments("connectors/credentials", "FetchFailed", "CredentialsUnusable")
        | texts(Renderer._excess)
        | {found for found in texts(steps._named) if found.startswith("step ")}
        | arguments("connectors/readers", "Unreadable")
        | arguments("connectors/processes", "TooHard")
        | arguments("streams/agents/fetch", "TooLarge")
        | texts(status_failure)
        | texts(errors._response_words)
        | texts(no_http)
        | {words for _, words in errors._WORDS}
        | texts(DocumentProcesses._why)
        | texts(EgressPolicy.refusal)
        | texts(robots.Robots.refusal)
        | texts(robots._unavailable)
    )


def test_the_page_lists_every_reason_of_a_loss() -> None:
    assert listed("missing") == (
        arguments("connectors/readers", "NothingSelected")
        | arguments("streams/agents/fetch", "LoginShown")
        | texts(redirect_reason)
        | texts(bare_reason)
    )


def test_the_page_lists_every_reason_of_a_failed_delivery() -> None:
    deliveries = PAGE.partition("\n## Deliveries\n")[2]
    documented = {row[0].strip("`") for row in rows(deliveries, "reason")}
    assert documented == (
        texts(why_ended)
        | texts(why_gone)
        | texts(webhook._failed)
        | arguments("streams/agents/deliver", "failed")
        | texts(challenges.ProofHandler._gave_up)
    )
    assert texts(ShipmentSender._refused) <= names(deliveries)


def test_the_page_lists_every_reason_of_a_channel() -> None:
    documented = {reason for row in rows(PAGE, "reason of a channel") for reason in names(row[0])}
    channels = "connectors/channels"
    assert documented - {"credentials … do not exist (vokter credentials set …)"} == (
        {reason for reason in arguments(channels, "Answer") if reason != "answered …"}
        | arguments(channels, "InvalidAddress", "CredentialsUnusable")
        | texts(message.filler)
        | texts(message._failures)
        | texts(NotedAnswers.failure) - {"answered …"}
        | {words for _, words in answers._FAILURES}
        | texts(NotedAnswers.note_failure)
        | {processes._TOO_MUCH}
        | {reason for made in (AuditHook._connect, AuditHook._open) for reason in texts(made)}
        | texts(AuditHook.__call__)
        | texts(Worker.answer)
    )


def test_the_page_lists_every_outcome_of_a_challenge() -> None:
    assert listed("challenge") == (
        texts(webhook._challenge_failure)
        | texts(granting.ChallengeMaker._made)
        | texts(granting.ChallengeMaker.challenge)
        | texts(budgets.manager_budgets)
        | texts(budgets.address_budgets)
        | texts(webhook.WebhookSender.look_up)
    )


def test_the_page_lists_every_class_of_dead_letters() -> None:
    places = ("match", "ticker", "record.py", "deliver")
    ours = {name for place in places for name in raised(f"streams/agents/{place}")}
    ours |= raised("streams/effects/history.py")
    assert listed("class") == ours | {Undecodable.__name__, FatalEvent.__name__, "NotHandled"}


def test_the_page_lists_every_reason_why_a_record_cannot_be_read() -> None:
    ours = arguments("schemas", "Undecodable") | arguments("streams/engine/acks", "Undecodable")
    assert listed("text") == ours
