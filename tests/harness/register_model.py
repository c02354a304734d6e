"""A model of the register, and a random but repeatable load of requests for it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from schemas.records.requests import Cancel, ClientRequest, Pause, Rename, Resume, Subscribe
from schemas.records.subscriptions import Options, Receiver

Job = tuple[str, str, str]
"""Document, client and name."""


NAMES = "", "in stock"


@dataclass
class Model:
    """What every request must be answered, and what there is in the end.

    ``answers`` has the code of each request id, ``began`` the id of the request
    that began each job's subscription, ``current`` the request that last
    changed it; ``paused`` are the jobs that are notified of nothing. A repeated request gets
    its first answer, but for one: a request about a subscription that has ended since is
    answered 7. Those are the ids in ``ended_since``; ``about`` has the subscription of each.
    """

    answers: dict[str, int] = field(default_factory=dict)
    began: dict[Job, str] = field(default_factory=dict)
    current: dict[Job, Subscribe] = field(default_factory=dict)
    paused: set[Job] = field(default_factory=set)
    stopped: set[Job] = field(default_factory=set)
    """Those with a stop that can be undone: an end by time is not followed."""
    about: dict[str, str | None] = field(default_factory=dict)
    ended_since: set[str] = field(default_factory=set)

    def apply(self, request: ClientRequest) -> None:
        """Decide one request, in the order of its document; a repeated one changes nothing."""
        assert request.request_id is not None
        job = _job(request)
        if request.request_id not in self.answers:
            self.about[request.request_id] = self.began.get(job)
            self.answers[request.request_id] = self._decide(request, request.request_id)
        elif self._has_ended_since(request):
            self.ended_since.add(request.request_id)

    def _has_ended_since(self, request: ClientRequest) -> bool:
        request_id = request.request_id or ""
        if isinstance(request, Subscribe | Cancel) or self.answers[request_id] != 0:
            return False
        return self.about[request_id] not in self.began.values()

    def expected(self, request_id: str) -> set[int]:
        """Return all codes that a request is answered with, repeats included."""
        return {self.answers[request_id]} | ({7} if request_id in self.ended_since else set())

    def _decide(self, request: ClientRequest, request_id: str) -> int:
        job = _job(request)
        if isinstance(request, Rename):
            return self._rename(job, _job(request, request.new_name))
        if not isinstance(request, Subscribe):
            return self._change(request, job) if job in self.current else 7
        if request.keywords == ("-",):
            return 3
        if job in self.current and not request.replace and job not in self.stopped:
            return 5
        self.stopped.discard(job)
        self.began.setdefault(job, request_id)
        self.current[job] = request
        return 0

    def _rename(self, job: Job, new: Job) -> int:
        if job not in self.current:
            return 7
        if new != job and new in self.current:
            return 5
        self.began[new] = self.began.pop(job)
        self.current[new] = self.current.pop(job)
        for several in (self.paused, self.stopped):
            if job in several:
                several.remove(job)
                several.add(new)
        return 0

    def _change(self, request: ClientRequest, job: Job) -> int:
        if isinstance(request, Cancel) and request.undo:
            self.stopped.add(job)
            return 0
        is_stopped = job in self.stopped
        if isinstance(request, Cancel | Resume):
            self.stopped.discard(job)
        if isinstance(request, Pause):
            self.paused.add(job)
        elif isinstance(request, Cancel) or (isinstance(request, Resume) and not is_stopped):
            self.paused.discard(job)
        if isinstance(request, Cancel):
            del self.began[job], self.current[job]
        return 0


def _job(request: ClientRequest, name: str | None = None) -> Job:
    called = request.name if name is None else name
    return request.document_url, request.receiver.client_url or "", called


def requests(count: int, documents: int, clients: int, seed: int) -> Iterator[ClientRequest]:
    """Return requests of each kind: replacements, refused and repeated ones among them."""
    random = Random(seed)  # noqa: S311 - a load, not a secret
    last: dict[Job, ClientRequest] = {}
    for number in range(count):
        page = f"http://example.org/{random.randrange(documents)}"
        hook = f"http://example.org/hook/{random.randrange(clients)}"
        job, kind = (page, hook, random.choice(NAMES)), random.random()
        if kind < 0.1 and job in last:
            yield last[job]
            continue
        last[job] = _request(job, kind, f"request-{number}")
        yield last[job]


def _request(job: Job, kind: float, name: str) -> ClientRequest:
    page, hook, called = job
    if 0.18 < kind < 0.2:
        renamed = NAMES[called == NAMES[0]]
        return Rename(page, Receiver(hook), request_id=name, name=called, new_name=renamed)
    if kind < 0.45:
        plain = Pause if kind < 0.15 else Resume if kind < 0.2 else Cancel
        return plain(page, Receiver(hook), request_id=name, name=called)
    words = ("-",) if kind < 0.5 else (f"word {name}",)
    return Subscribe(
        page,
        Receiver(hook),
        request_id=name,
        keywords=words,
        options=Options(interval=3600),
        replace=kind > 0.9,
        name=called,
    )
