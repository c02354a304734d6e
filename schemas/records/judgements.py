"""Notifications for a language model to judge or summarize, and their outcomes."""

from dataclasses import dataclass

from schemas.records.field_types import Because, Count, Document, Id, Summary, Text, Time
from schemas.records.notifications import Notification

PASSED = "pass"
SUPPRESSED = "suppress"
SENT_AFTER_ALL = "suppressed, and sent after all"
NOT_JUDGED = "not judged: "
"""Begins the verdict of a notification without a judgement; the reason follows."""
NOT_SUMMARIZED = "not summarized: "
"""The same for a notification without a rule."""


@dataclass(frozen=True, slots=True)
class Judging:
    """The wishes of a subscription to a language model; as in Options.

    Without a ``rule`` nothing is judged. ``wish`` and ``language`` are those of the summary.
    ``hold_s`` are the seconds for which a notification may wait, 0: none.
    """

    rule: Text = ""
    summarizes: bool = False
    wish: Text = ""
    language: Text = ""
    hold_s: Count = 0


@dataclass(frozen=True, slots=True)
class Judge:
    """Judge a notification at the partition of the page ``url``, then publish or suppress."""

    notification: Notification
    url: Document
    judging: Judging

    @property
    def lane(self) -> tuple[str, str, str]:
        """The manager, receiver and page of which notifications keep their order."""
        return self.notification.manager, self.notification.receiver.name, self.url


@dataclass(frozen=True, slots=True)
class JudgeAgain:
    """Judge the first waiting notification of a ``lane`` (its id) again."""

    lane: Id


@dataclass(frozen=True, slots=True)
class SendSuppressed:
    """Publish a suppressed notification after all."""

    notification: Notification


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A notification is not published, as by a language model its rule does not want the news.

    ``notification`` is the whole notification, with the reason in ``because``. The notification was
    ``sent`` after all at a time, 0 if never.
    """

    notification: Notification
    at: Time
    sent: Time = 0


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """The checked answer of a model to a question: why, or the summary, in ``text``."""

    passes: bool
    text: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """The decision about a notification, for the same outcome of a repeat."""

    verdict: Text
    because: Because = ""
    summary: Summary = ""


@dataclass(frozen=True, slots=True)
class HeldJudgement:
    """A notification in wait for its judgement, or for an earlier notification of its lane.

    ``place`` is the offset of its command, by which those of a lane keep their order. The next
    attempt is at ``due``, and the wait ends at ``until`` (epoch ms).
    """

    command: Judge
    place: int
    until: int
    tries: int
    due: int


@dataclass(frozen=True, slots=True)
class ModelUse:
    """The calls and tokens of a manager on a ``day`` (days since 1970)."""

    day: int
    calls: int = 0
    tokens: int = 0


JudgeCommand = Judge | JudgeAgain | SendSuppressed
