"""The texts of errors, as the code has them, with ``…`` for what is filled in."""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

from connectors import webhook
from connectors.browser.renderer import Renderer
from connectors.browser.steps import StepTaker
from connectors.channels import answers, message, processes
from connectors.channels.answers import NotedAnswers
from connectors.channels.audit_hook import AuditHook
from connectors.channels.child import Worker
from connectors.http import errors, robots
from connectors.http.response_head import no_http
from connectors.processes.documents import DocumentProcesses
from connectors.stores.sqlite import machine
from schemas.records.answers import status_failure
from schemas.records.egress_policy import EgressPolicy
from streams.agents.deliver import granting
from streams.agents.deliver.outbox import challenge_budgets as budgets
from streams.agents.fetch.login_pages import redirect_reason
from streams.agents.fetch.state.lost_views import bare_reason
from tests.docs.reading import ROOT


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


def fetch_texts() -> set[str]:
    """Return the reasons of failed fetches."""
    return (
        arguments("connectors/http", "FetchFailed", "ResponseRefused")
        | {errors.CUT_OFF}
        | arguments("connectors/browser", "FetchFailed")
        | arguments("connectors/credentials", "FetchFailed", "CredentialsUnusable")
        | texts(Renderer._excess)
        | {found for found in texts(StepTaker._failed) if found.startswith("step ")}
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


def loss_texts() -> set[str]:
    """Return the reasons of losses."""
    return (
        arguments("connectors/readers", "NothingSelected")
        | arguments("streams/agents/fetch", "LoginShown")
        | texts(redirect_reason)
        | texts(bare_reason)
    )


def channel_texts() -> set[str]:
    """Return the reasons why channels fail."""
    channels = "connectors/channels"
    return (
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


def store_texts() -> set[str]:
    """Return the beginnings of the reasons why stores are refused."""
    refused = (
        arguments("connectors/stores", "StoreRefused")
        | arguments("streams/cli", "StoreRefused")
        | arguments("connectors/kafka", "StoreElsewhere")
        | texts(machine.claim)
    )
    return {re.split(r"[.,:;] ", text.removeprefix("Refused: "))[0] for text in refused}


def challenge_texts() -> set[str]:
    """Return the outcomes of challenges."""
    return (
        texts(webhook._challenge_failure)
        | texts(granting.ChallengeMaker.challenge)
        | texts(budgets.manager_budgets)
        | texts(budgets.address_budgets)
        | texts(webhook.WebhookSender.look_up)
    )


def record_texts() -> set[str]:
    """Return the reasons why records cannot be read."""
    return arguments("schemas", "Undecodable") | arguments("streams/engine/acks", "Undecodable")
