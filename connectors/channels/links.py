"""The links of a message to Vokter's page."""

from collections.abc import Iterator
from urllib.parse import quote, urlencode

from connectors.channels.work import Links
from connectors.languages.texts import msgid
from connectors.signed_links import SIGNED_PATH, LinkAction, LinkedAction, SignedLinks
from schemas.records.notifications import Notification

OK = "ok"
"""The status of a notification of a change."""


class MessageLinks:
    """Makes the links of messages."""

    def __init__(self, page: str, signed: SignedLinks) -> None:
        """``page`` is the address of Vokter's page, empty if there is none to link to."""
        self._page = page.rstrip("/")
        self._signed = signed

    def of(self, fact: Notification) -> Links:
        """Return the links for a notification; a test without a watch has none."""
        if not self._page or fact.test:
            return Links()
        return Links(
            news=f"{self._page}/notification/{quote(fact.id, safe='')}",
            shown=tuple(self._shown(fact)),
            stop="" if fact.status == "timeout" else self._link("stop", fact),
        )

    def _shown(self, fact: Notification) -> Iterator[tuple[str, str]]:
        watch = f"{self._page}/watch/{quote(fact.subscription, safe='')}"
        if fact.status == OK:
            covered = f"?{urlencode({'page': fact.document})}" if fact.document else ""
            yield msgid("Compare"), f"{watch}/change/{quote(fact.change, safe='')}{covered}"
        if fact.diffs:
            yield msgid("Mute"), self._link("mute", fact)
        yield msgid("Edit"), f"{watch}/edit"
        if fact.status != "timeout":  # that watch has ended
            yield msgid("Pause"), self._link("pause", fact)
            yield msgid("Stop"), self._link("stop", fact)

    def _link(self, action: LinkAction, fact: Notification) -> str:
        about = fact.id if action == "mute" else ""
        token = self._signed.token(LinkedAction(action, fact.manager, fact.subscription, about))
        return f"{self._page}{SIGNED_PATH}{token}"
