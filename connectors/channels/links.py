"""The links of a message to Vokter's page."""

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
        news = f"{self._page}/notification/{quote(fact.id, safe='')}"
        watch = f"{self._page}/watch/{quote(fact.subscription, safe='')}"
        shown = []
        if fact.status == OK:
            covered = f"?{urlencode({'page': fact.document})}" if fact.document else ""
            change = f"{watch}/change/{quote(fact.change, safe='')}{covered}"
            shown.append((msgid("Compare"), change))
        if fact.diffs:
            shown.append((msgid("Mute"), self._link("mute", fact)))
        shown.append((msgid("Edit"), f"{watch}/edit"))
        if fact.status == "timeout":  # that watch has ended
            return Links(news, tuple(shown))
        stop = self._link("stop", fact)
        shown += [(msgid("Pause"), self._link("pause", fact)), (msgid("Stop"), stop)]
        return Links(news, tuple(shown), stop)

    def _link(self, action: LinkAction, fact: Notification) -> str:
        about = fact.id if action == "mute" else ""
        token = self._signed.token(LinkedAction(action, fact.manager, fact.subscription, about))
        return f"{self._page}{SIGNED_PATH}{token}"
