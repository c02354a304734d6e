"""What ``vokter subscribe``, ``cancel`` and others ask of the register, through the topics."""

from connectors.kafka.requests import RegisterAnswer
from schemas.codes import Code
from schemas.facts import (
    ClientRequest,
    Receiver,
    Rejected,
    Rotate,
    Subscribe,
    Subscribed,
    Subscription,
)
from schemas.signing import secret_of
from streams.cli.output import say
from streams.cli.progress import waiting
from streams.cli.setup.preparation import deployed_signing_key
from streams.settings import Settings
from streams.wiring.connections import request_sender


class Refused(Exception):
    """The register has refused a request; the text says why."""


async def subscribe(settings: Settings, request: Subscribe) -> None:
    """Subscribe and say so; raises Refused or NoAnswer."""
    answer = await ask(settings, request)
    assert isinstance(answer, Subscribed), "a Subscribe is answered by Subscribed or Rejected"
    subscription = answer.subscription
    words_kept = ", ".join(subscription.keywords)
    say(f"Watching {subscription.url} every {subscription.options.interval} s for: {words_kept}")
    print(subscription.id)
    await _tell_secret(settings, subscription)


async def ask_for(settings: Settings, request: ClientRequest, done: str) -> None:
    """Have a request granted and say that it is done; raises Refused or NoAnswer."""
    await ask(settings, request)
    say(done)


async def rotate(settings: Settings, url: str, client_url: str) -> None:
    """Change the secret of a webhook's subscription, and print it; raises Refused or NoAnswer."""
    answer = await ask(settings, Rotate(url, Receiver(client_url)))
    assert isinstance(answer, Subscribed), "a Rotate is answered by Subscribed or Rejected"
    say("For a day notifications are signed with the secret before, too.")
    await _tell_secret(settings, answer.subscription)


async def _tell_secret(settings: Settings, subscription: Subscription) -> None:
    """Print the secret of a webhook, if this machine can know it."""
    if subscription.receiver.client_url is None:
        return
    key = await deployed_signing_key(settings)
    if key is None:
        say("Its secret cannot be told here, where the deployment's signing key is not known;")
        say("  with VOKTER_SIGNING_KEY or POST /rotate it can.")
    else:
        say("The secret that its notifications are signed with:")
        print(secret_of(key, subscription))


async def ask(settings: Settings, request: ClientRequest) -> RegisterAnswer:
    """Have one request decided; raises Refused or NoAnswer."""
    async with waiting("waiting for match to answer"), request_sender(settings) as client:
        answer = await client.ask(request)
    if isinstance(answer, Rejected):
        raise Refused(Code(answer.code).text(answer.detail))
    return answer
