"""Requests of ``vokter subscribe``, ``cancel`` and others, sent through the topics."""

from connectors.display.subscription_texts import wanted
from connectors.kafka.pending_answers import RegisterAnswer
from schemas.codec.signing import has_secret, secret_of
from schemas.records.requests import ClientRequest, Rotate, Subscribe
from schemas.records.subscription_facts import Rejected, Subscribed, refusal_in
from schemas.records.subscriptions import Receiver, Subscription
from streams.cli.durations import shown_duration
from streams.cli.jobs.refusals import refused
from streams.cli.output import say
from streams.cli.progress import waiting
from streams.effects.connections import request_sender
from streams.settings import Settings


async def subscribe(settings: Settings, request: Subscribe) -> None:
    """Subscribe, and print the subscription's id and secret; raises Refused or RequestTimedOut."""
    answer = await ask(settings, request)
    assert isinstance(answer, Subscribed), "a Subscribe is answered by Subscribed or Rejected"
    subscription = answer.subscription
    keywords = ", ".join(wanted(subscription))
    every = shown_duration(subscription.options.interval)
    say(f"Watching {subscription.url} every {every} for: {keywords}")
    print(subscription.id)
    await _print_secret(settings, subscription)


async def ask_for(settings: Settings, request: ClientRequest, done: str) -> None:
    """Send a request, and print ``done`` when it is granted; raises Refused or RequestTimedOut."""
    await ask(settings, request)
    say(done)


async def rotate(settings: Settings, url: str, client_url: str) -> None:
    """Change a webhook's secret, and print it; raises Refused or RequestTimedOut."""
    answer = await ask(settings, Rotate(url, Receiver(client_url)))
    assert isinstance(answer, Subscribed), "a Rotate is answered by Subscribed or Rejected"
    say("For a day notifications are also signed with the old secret.")
    await _print_secret(settings, answer.subscription)


async def _print_secret(settings: Settings, subscription: Subscription) -> None:
    """Print the secret of a webhook, if this machine has the deployment's signing key."""
    if not has_secret(subscription):
        return
    from streams.cli.setup.preparation import deployed_signing_key  # noqa: PLC0415 - it imports the store

    key = await deployed_signing_key(settings)
    if key is None:
        say("This machine cannot show the secret: it does not have the deployment's signing key.")
        say("  Set VOKTER_SIGNING_KEY, or get a new secret with POST /rotate.")
    else:
        say("The secret that its notifications are signed with:")
        print(secret_of(key, subscription))


async def ask(settings: Settings, request: ClientRequest) -> RegisterAnswer:
    """Send one request and return its answer; raises Refused or RequestTimedOut."""
    async with waiting("waiting for an answer of match"), request_sender(settings) as client:
        answer = await client.ask(request)
    if isinstance(answer, Rejected):
        raise refused(request, refusal_in(answer))
    return answer
