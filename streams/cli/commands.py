"""All commands of ``vokter`` with their options."""

import asyncio
import signal
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any

import typer
from aiokafka.errors import KafkaConnectionError, KafkaError
from pydantic import ValidationError

from connectors.kafka.claims import StoreElsewhere
from connectors.kafka.requests import NoAnswer
from connectors.kafka.topics import TopicsError
from connectors.stores.base import StoreRefused
from infra.errors import InfraError
from streams.cli import demonstration, jobs, tailing, up, watching
from streams.cli.children import end_with_parent
from streams.cli.deployment import NotReady
from streams.cli.preparing import create, prepare
from streams.cli.running import AlreadyRunning, NotRunning, place, with_broker
from streams.cli.serving import serve_api
from streams.cli.text import configure_logs, say
from streams.engine import worker as engine
from streams.pipeline import pipeline, topic_specs
from streams.settings import Settings

app = typer.Typer(
    name="vokter",
    help="Watches web documents and tells when the words you care about appear or disappear.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
topics = typer.Typer(help="The topics on the cluster.", no_args_is_help=True)
app.add_typer(topics, name="topics")
store = typer.Typer(help="The store of the deployment.", no_args_is_help=True)
app.add_typer(store, name="store")

EXPECTED = (
    AlreadyRunning,
    InfraError,
    KafkaError,
    LookupError,
    NoAnswer,
    NotReady,
    NotRunning,
    StoreElsewhere,
    StoreRefused,
    TopicsError,
    demonstration.NothingSeen,
    jobs.Refused,
)

DataDir = Annotated[
    Path | None, typer.Option(help="Folder of everything that is kept. [VOKTER_DATA_DIR]")
]
Words = Annotated[list[str], typer.Argument(help="Keywords; '*' for any change.")]
Url = Annotated[str, typer.Argument(help="The document to watch, http or https.")]
To = Annotated[str | None, typer.Option(help="Webhook that is told of changes.")]
Session = Annotated[
    str | None, typer.Option(help="Instead of --to: a name; read the topic 'notifications'.")
]


def main() -> None:
    """Run a command; what can be expected to go wrong ends with one clear line."""
    try:
        app()
    except ValidationError as error:
        for fault in error.errors():
            name = "VOKTER_" + "_".join(map(str, fault["loc"])).upper()
            say(f"{name}: {fault['msg']} (it is {fault['input']!r})")
        sys.exit(2)
    except KafkaConnectionError as error:
        where = Settings().kafka or "the address of the local broker"
        say(f"Error: no Kafka broker answers at {where}. Is it running? ({error})")
        sys.exit(1)
    except EXPECTED as error:
        say(f"Error: {error}")
        sys.exit(1)


@app.callback()
def common(
    context: typer.Context,
    with_parent: Annotated[bool, typer.Option("--with-parent", hidden=True)] = False,
) -> None:
    """Say on every command what goes for all."""
    is_service = context.invoked_subcommand in ("worker", "api")
    configure_logs(Settings().log_level, for_a_person=not is_service)
    if with_parent:
        end_with_parent()


@app.command("up")
def up_command(
    port: Annotated[int | None, typer.Option(help="Port of the API. [VOKTER_PORT]")] = None,
    data_dir: DataDir = None,
) -> None:
    """Run everything on this machine: broker (if VOKTER_KAFKA names none), stages, API."""
    _run(up.run(_settings(port=port, data_dir=data_dir)))


@app.command("worker")
def worker_command(
    stage: Annotated[str, typer.Argument(help="schedule, fetch, match, deliver or record")],
    data_dir: DataDir = None,
) -> None:
    """Run one worker of a stage; start as many as you like, on as many machines."""
    settings = with_broker(_settings(data_dir=data_dir))
    workers = pipeline(settings)
    if stage not in workers:
        raise typer.BadParameter(f"choose one of: {', '.join(workers)}", param_hint="STAGE")
    asyncio.run(prepare(settings))
    with place(settings, stage) as (folder, member):
        where = settings.kafka or "", settings.topic_prefix, settings.partitions
        engine.run(workers[stage], engine.Cluster(*where, folder, member))


@app.command("api")
def api_command(
    port: Annotated[int | None, typer.Option(help="Port to listen on. [VOKTER_PORT]")] = None,
    data_dir: DataDir = None,
) -> None:
    """Serve the REST API."""
    settings = with_broker(_settings(port=port, data_dir=data_dir))
    asyncio.run(prepare(settings))
    _run(serve_api(settings))


@topics.command("create")
def topics_create(data_dir: DataDir = None) -> None:
    """Create all topics that are missing, and check those that are there."""
    settings = with_broker(_settings(data_dir=data_dir))
    created = asyncio.run(create(settings))
    for name in created:
        print(name)
    say(f"{len(created)} created, {len(topic_specs(settings)) - len(created)} were there.")


@store.command("claim")
def store_claim(data_dir: DataDir = None) -> None:
    """Have the deployment use this machine's store from now on, instead of the one it used."""
    settings = with_broker(_settings(data_dir=data_dir))
    _run(prepare(settings, replace=True))
    say(f"The deployment now uses {settings.store_url}")


@app.command("subscribe")
def subscribe_command(
    url: Url,
    words: Words,
    to: To = None,
    session: Session = None,
    interval: Annotated[int, typer.Option(help="Seconds between looks.")] = 600,
    stemming: Annotated[bool, typer.Option(help="Match lexical variants, too.")] = False,
    stopwords: Annotated[bool, typer.Option(help="Ignore stop words in keywords.")] = False,
    ignore_case: Annotated[bool, typer.Option(help="Match whatever the case.")] = False,
    replace: Annotated[bool, typer.Option(help="Change the subscription if there is one.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Watch a document for words, for a webhook or a session."""
    options = {
        "interval": interval,
        "enable_stemming": stemming,
        "filter_stopwords": stopwords,
        "ignore_case": ignore_case,
        "replace": replace,
    }
    settings = with_broker(_settings(data_dir=data_dir))
    receiver = _receiver(to, session)
    _run(jobs.subscribe(settings, url, tuple(words), receiver, options))


@app.command("cancel")
def cancel_command(
    url: Url, to: To = None, session: Session = None, data_dir: DataDir = None
) -> None:
    """Watch a document no more, for a webhook or a session."""
    settings = with_broker(_settings(data_dir=data_dir))
    _run(jobs.cancel(settings, url, _receiver(to, session)))


@app.command("tail")
def tail_command(
    topic: Annotated[str, typer.Argument(help="Such as notifications, without the prefix.")],
    from_start: Annotated[bool, typer.Option(help="Begin with the oldest that is kept.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Print the facts on a topic as JSON lines, as they come, until Ctrl-C."""
    _run(tailing.run(with_broker(_settings(data_dir=data_dir)), topic, from_start))


@app.command("watch")
def watch_command(
    url: Url,
    words: Words,
    interval: Annotated[
        int | None, typer.Option(help="Seconds between looks; default: the smallest allowed.")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Print changes of a page that concern these words, until Ctrl-C.

    Uses the deployment that runs, or runs one for as long as it watches.
    """
    _run(watching.run(_settings(data_dir=data_dir), url, tuple(words), interval))


@app.command("demo")
def demo_command(
    once: Annotated[
        bool, typer.Option("--once", help="End after the first added and removed notification.")
    ] = False,
) -> None:
    """Watch a small local page that changes every few seconds, and show what happens."""
    _run(demonstration.run(once))


def _settings(**given: Any) -> Settings:
    """Settings from the environment, with what was given as an option."""
    return Settings(**{name: value for name, value in given.items() if value is not None})


def _receiver(to: str | None, session: str | None) -> dict[str, str | None]:
    if (to is None) == (session is None):
        raise typer.BadParameter("give either --to WEBHOOK or --session NAME")
    return {"client_url": to, "session": session}


def _run(work: Coroutine[Any, Any, None]) -> None:
    """Run until done, or until SIGINT or SIGTERM, which are no errors."""
    asyncio.run(_until_signal(work))


async def _until_signal(work: Coroutine[Any, Any, None]) -> None:
    task = asyncio.create_task(work)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        say("Stopped.")
