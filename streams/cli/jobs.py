"""``vokter subscribe`` and ``vokter cancel``: asked of the register through the topics."""

from typing import Any

from connectors.api.answers import ANSWERS
from connectors.kafka.requests import RegisterAnswer
from schemas.facts import Cancel, Rejected, Subscribe, Subscribed
from streams.cli.serving import register
from streams.cli.text import say
from streams.settings import Settings


class Refused(Exception):
    """The register has refused a request; the text says why."""


async def subscribe(
    settings: Settings,
    url: str,
    words: tuple[str, ...],
    receiver: dict[str, Any],
    options: dict[str, Any],
) -> None:
    """Subscribe and say so; raises Refused or NoAnswer."""
    answer = await ask(settings, Subscribe(url, words, **receiver, **options))
    assert isinstance(answer, Subscribed), "a Subscribe is answered by Subscribed or Rejected"
    subscription = answer.subscription
    words_kept = ", ".join(subscription.keywords)
    say(f"Watching {subscription.url} every {subscription.interval} s for: {words_kept}")
    print(subscription.id)


async def cancel(settings: Settings, url: str, receiver: dict[str, Any]) -> None:
    """Cancel and say so; raises Refused or NoAnswer."""
    await ask(settings, Cancel(url, **receiver))
    say(f"No longer watching {url}")


async def ask(settings: Settings, request: Subscribe | Cancel) -> RegisterAnswer:
    """Have one request decided; raises Refused or NoAnswer."""
    async with register(settings) as client:
        answer = await client.ask(request)
    if isinstance(answer, Rejected):
        message = ANSWERS[answer.code][1]
        raise Refused(f"{message} {answer.detail}".strip())
    return answer
