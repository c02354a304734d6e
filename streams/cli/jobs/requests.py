"""``vokter subscribe``, ``cancel`` and others: requests, sent through the topics."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from schemas.codec.times import rfc3339
from schemas.records.channels import channel_name
from schemas.records.codes import Code
from schemas.records.credentials import CHANNEL_KIND
from schemas.records.faults import Refusal
from schemas.records.requests import (
    MAX_BACKFILLED,
    Backfill,
    ClientRequest,
    Rename,
    Rotate,
    Subscribe,
    Test,
)
from schemas.records.subscription_facts import Rejected, Subscribed, refusal_in
from schemas.records.subscriptions import Options, Receiver, Subscription
from streams.cli.discovery import with_broker
from streams.cli.durations import shown_duration
from streams.cli.groups import command_app
from streams.cli.jobs.arguments import (
    Document,
    Since,
    Url,
    Words,
    parse_client_url,
    parse_document,
    receiver_of,
)
from streams.cli.jobs.flags import with_option_flags
from streams.cli.jobs.many import SubscriptionChoice, ask_each, done_text
from streams.cli.jobs.refusals import refused
from streams.cli.options import ANSWER_TIMEOUT_S, DataDir, Manager, Yes, run, settings_of
from streams.cli.output import say
from streams.effects.clock import now

if TYPE_CHECKING:
    from connectors.kafka.pending_answers import RegisterAnswer
    from streams.settings import Settings

app = command_app()

To = Annotated[
    str | None,
    typer.Option(
        help="URL of the webhook to notify, or channel:NAME.",
        parser=parse_client_url,
        metavar="URL",
    ),
]
Session = Annotated[
    str | None,
    typer.Option(help="Instead of --to: a session, which reads the topic notifications."),
]
Name = Annotated[
    str, typer.Option(help="Name of the subscription, where the receiver has several of the page.")
]

OneName = Annotated[str | None, typer.Option("--name", help="Only those with this name.")]
Target = Annotated[
    str | None,
    typer.Argument(
        help="A URL, a name or title, or the id of a subscription or its beginning.",
        metavar="URL|NAME|ID",
    ),
]
Tag = Annotated[str | None, typer.Option(help="All with this tag.")]
Every = Annotated[bool, typer.Option("--all", help="All subscriptions.")]


@app.command("subscribe")
@with_option_flags()
def subscribe_command(
    url: Document,
    words: Words = None,
    to: To = None,
    session: Session = None,
    *,
    options: Options,
    replace: Annotated[bool, typer.Option(help="Replace an existing subscription.")] = False,
    name: Annotated[
        str,
        typer.Option(help="Its name, shown instead of the title; a receiver may have several so."),
    ] = "",
    data_dir: DataDir = None,
) -> None:
    """Watch a document, and notify a webhook or a session when words appear or disappear."""
    request = Subscribe(
        url,
        receiver_of(to, session),
        keywords=tuple(words or ()),
        options=options,
        replace=replace,
        name=name,
    )
    settings = with_broker(settings_of(data_dir=data_dir))

    async def subscribe() -> None:
        from connectors.display.subscription_texts import wanted

        await check_channel(settings, request)
        answer = await ask(settings, request)
        assert isinstance(answer, Subscribed), "a Subscribe is answered by Subscribed or Rejected"
        subscription = answer.subscription
        every = shown_duration(subscription.options.interval)
        say(f"Watching {subscription.url} every {every} for: {', '.join(wanted(subscription))}")
        print(subscription.id)
        await _print_secret(settings, subscription)

    run(subscribe())


def _command_about_several(
    action: str, done: str, about: str, fields: Mapping[str, bool]
) -> Callable[..., None]:
    """Return a command to make a request, with these ``fields``, about each subscription."""

    def command(
        target: Target = None,
        to: To = None,
        session: Session = None,
        name: OneName = None,
        tag: Tag = None,
        every: Every = False,
        manager: Manager = "default",
        yes: Yes = False,
        data_dir: DataDir = None,
    ) -> None:
        receiver = None if to is None and session is None else receiver_of(to, session)
        asked = SubscriptionChoice(manager, target, tag, every, receiver, name)
        settings = settings_of(data_dir=data_dir)
        asked.check()
        if target is not None and receiver is not None:
            # A subscription by URL and receiver needs no store.
            from schemas.codec.json_requests import parse, present_json

            who = {**present_json(receiver), "name": name or ""}
            request = parse(action, {"documentUrl": parse_document(target), **who, **fields})

            async def ask_one() -> None:
                answer = await ask(with_broker(settings), replace(request, manager=manager))
                say(done_text(done, request.document_url, answer))

            run(ask_one())
        else:
            run(ask_each(settings, asked, action, done, fields, yes=yes))

    command.__doc__ = about
    return command


for _name, _action, _fields, _done, _about in (
    (
        "cancel",
        "cancel",
        {},
        "No longer watching {}",
        """Cancel subscriptions: one of a webhook or a session, or those of a page, a tag or all.

        Asks before it cancels more than one. 'vokter stop' can be undone.
        """,
    ),
    (
        "stop",
        "cancel",
        {"undo": True},
        "No longer watching {}; for a minute 'vokter undo' takes that back.",
        """Cancel subscriptions in a minute; until then 'vokter undo' keeps them.

        Nothing is notified any more from now on. Asks before it cancels more than one.
        """,
    ),
    (
        "pause",
        "pause",
        {},
        "Paused: no notifications of {} until 'vokter resume'.",
        """Pause subscriptions: no notifications until they are resumed.

        A document is not fetched while all its subscriptions are paused; its snapshot stays.
        """,
    ),
    (
        "resume",
        "resume",
        {},
        "Resumed: changes of {} are notified again.",
        "Resume paused subscriptions.",
    ),
    (
        "check",
        "check",
        {},
        "{} is checked at {}.",
        "Visit pages as soon as that is allowed, also after failures, and say when that is.",
    ),
):
    app.command(_name)(_command_about_several(_action, _done, _about, _fields))


@app.command("undo")
def undo_command(
    target: Target = None,
    tag: Tag = None,
    manager: Manager = "default",
    data_dir: DataDir = None,
) -> None:
    """Undo a stop of the last minute, or all of them: id and history stay.

    Those that were paused before are paused again.
    """
    asked = SubscriptionChoice(
        manager, target, tag, every=target is None and tag is None, stopped=True
    )
    settings = settings_of(data_dir=data_dir)
    asked.check()
    run(ask_each(settings, asked, "resume", "Watching {} as before.", {}, yes=True))


@app.command("rename")
def rename_command(
    url: Document,
    new_name: Annotated[str, typer.Argument(help="The new name; '' for none.")],
    to: To = None,
    session: Session = None,
    name: Name = "",
    data_dir: DataDir = None,
) -> None:
    """Give a subscription another name; it keeps its id and its history."""
    request = Rename(url, receiver_of(to, session), name=name, new_name=new_name)
    _run_request(request, f"Renamed: {new_name or 'it has no name now'}.", data_dir)


@app.command("test")
def send_test_command(
    url: Document,
    to: To = None,
    session: Session = None,
    name: Name = "",
    data_dir: DataDir = None,
) -> None:
    """Send a test notification to a webhook or a session."""
    request = Test(url, receiver_of(to, session), name=name)
    done = (
        "A test notification is on its way:\n"
        "  'vokter tail notifications --from-start' shows it,\n"
        "  'vokter tail deliveries --from-start' whether a webhook accepted it."
    )
    _run_request(request, done, data_dir)


@app.command("backfill")
def backfill_command(
    url: Url,
    to: To = None,
    session: Session = None,
    name: Name = "",
    since: Since = None,
    limit: Annotated[
        int, typer.Option(help="At most so many, the newest.", min=1, max=MAX_BACKFILLED)
    ] = MAX_BACKFILLED,
    data_dir: DataDir = None,
) -> None:
    """Notify a webhook or a session of changes that are kept, marked as history.

    What it was notified of already is left out. 'vokter backtest' shows the rest before.
    """
    begin = "" if since is None else rfc3339(max(0, now() - 1000 * since))
    request = Backfill(url, receiver_of(to, session), name=name, since=begin, limit=limit)
    done = (
        "Notifications that are new to it follow:\n"
        "  'vokter tail notifications --from-start' shows them,\n"
        "  'vokter tail deliveries --from-start' whether a webhook accepted them."
    )
    _run_request(request, done, data_dir)


@app.command("rotate")
def rotate_command(
    url: Document,
    to: Annotated[str, typer.Option(help="URL of the webhook.")],
    name: Name = "",
    data_dir: DataDir = None,
) -> None:
    """Change the secret that signs a webhook's notifications, and print it."""
    settings = with_broker(settings_of(data_dir=data_dir))

    async def rotate() -> None:
        answer = await ask(settings, Rotate(url, Receiver(to), name=name))
        assert isinstance(answer, Subscribed), "a Rotate is answered by Subscribed or Rejected"
        say("For a day notifications are also signed with the old secret.")
        await _print_secret(settings, answer.subscription)

    run(rotate())


def _run_request(request: ClientRequest, done: str, data_dir: Path | None) -> None:
    """Send a request, and print ``done`` when granted."""
    settings = with_broker(settings_of(data_dir=data_dir))

    async def work() -> None:
        await ask(settings, request)
        say(done)

    run(work())


async def check_channel(settings: "Settings", request: Subscribe) -> None:
    """Check the channel of a request; raises Refused.

    A machine without the deployment's key has no store to look in.
    """
    from streams.cli.setup.preparation import deployed_signing_key
    from streams.effects.connections import opened_store

    name = channel_name(request.receiver.client_url)
    if name is None or await deployed_signing_key(settings) is None:
        return
    async with opened_store(settings) as store:
        row = await store.credentials.get(request.manager, name)
    if row is None or row.kind != CHANNEL_KIND:
        reason = f"There is no channel {name!r}: set it under Channels on the page."
        raise refused(request, Refusal(Code.INVALID_CLIENT_URL, reason))


async def _print_secret(settings: "Settings", subscription: Subscription) -> None:
    """Print the secret of a webhook, if this machine has the deployment's signing key."""
    from schemas.codec.signing import has_secret, secret_of

    if not has_secret(subscription):
        return
    from streams.cli.setup.preparation import deployed_signing_key

    key = await deployed_signing_key(settings)
    if key is None:
        say("This machine cannot show the secret: it does not have the deployment's signing key.")
        say("  Set VOKTER_SIGNING_KEY, or get a new secret with POST /rotate.")
    else:
        say("The secret that its notifications are signed with:")
        print(secret_of(key, subscription))


async def ask(settings: "Settings", request: ClientRequest) -> "RegisterAnswer":
    """Send a request and return its answer; raises Refused or RequestTimedOut."""
    from streams.cli.progress import waiting
    from streams.effects.connections import request_sender

    sender = request_sender(settings, timeout_s=ANSWER_TIMEOUT_S)
    async with waiting("waiting for an answer of match"), sender as client:
        answer = await client.ask(request)
    if isinstance(answer, Rejected):
        raise refused(request, refusal_in(answer))
    return answer
