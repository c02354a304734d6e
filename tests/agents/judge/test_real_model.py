"""The agreement of a real model with people, where VOKTER_TEST_MODEL_URL names one."""

import pytest

from connectors.http.egress import EgressGuard
from connectors.model import ModelClient
from schemas.records.changes import Diff
from schemas.records.egress_policy import EgressPolicy
from streams.agents.judge.answers import InvalidAnswer, checked_answer
from streams.agents.judge.questions import judge_query
from tests.agents.judge.judged_changes import CHANGES, Judged
from tests.agents.judge.world import judging, news
from tests.servers.model import REAL_KEY, REAL_MODEL, REAL_URL

LEAST = 0.5
"""The share that even a small model agrees on; chance alone is the half of them."""


def test_there_are_forty_changes_and_none_twice() -> None:
    assert len(set(CHANGES)) == 40


@pytest.mark.slow
@pytest.mark.skipif(not REAL_URL, reason="VOKTER_TEST_MODEL_URL names no model")
async def test_a_real_model_agrees_with_people() -> None:
    guard = EgressGuard(EgressPolicy(("0.0.0.0/0", "::/0")))
    async with ModelClient(guard, REAL_URL, REAL_MODEL, key=REAL_KEY, timeout_s=120) as client:
        found = [await _agrees(client, each) for each in CHANGES]
    share = found.count(True) / len(found)
    print(f"agreement {share:.0%} of {len(found)}, {found.count(None)} of no use")  # noqa: T201 - for people

    assert share >= LEAST


async def _agrees(client: ModelClient, each: Judged) -> bool | None:
    change = "edited" if each.before and each.after else "added" if each.after else "removed"
    text = each.after or each.before
    diff = Diff("added", "*", text, text, change, before=each.before, after=each.after)
    query = judge_query(news(diffs=(diff,)), judging(each.rule))
    reply = await client.ask(query)
    assert not reply.error, reply.error
    try:
        answer = checked_answer(query, reply.text)
    except InvalidAnswer as error:
        print(f"{each.rule!r}: {error}: {reply.text[:200]!r}")  # noqa: T201 - for people
        return None
    if answer.passes != each.passes:
        print(f"{each.rule!r}, {each.before!r} → {each.after!r}: {answer}")  # noqa: T201 - for people
    return answer.passes == each.passes
