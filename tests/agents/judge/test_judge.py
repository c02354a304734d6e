"""Judge: verdicts and summaries, asked once, and nothing is lost without them."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from schemas.codec.body import MAX_BODY, body
from schemas.records.answers import ModelQuery, ModelReply
from schemas.records.changes import Diff
from schemas.records.judgements import (
    JudgeAgain,
    Judging,
    SendSuppressed,
    Suppressed,
)
from streams.agents.judge import lanes
from streams.agents.judge.asking import NO_MODEL, Model
from tests.agents.judge.world import (
    AWAY,
    HOUR_MS,
    NOON,
    PASS,
    SUMMARY,
    SUPPRESS,
    Crash,
    FakeModel,
    World,
    judge,
    judging,
    news,
    other_client,
)
from tests.harness.waiting import until

HOLD = judging(hold_s=3_600)
MANAGER = news().manager


async def world(*answers: str | ModelReply, **options: Any) -> World:
    return await World(FakeModel(list(answers) or [PASS]), **options).begin()


async def test_a_notification_that_passes_has_the_verdict_and_all_that_it_had() -> None:
    found = await world(PASS)
    await found.take(judge())

    assert found.left == [replace(news(), verdict="pass", because="It says so.")]


async def test_one_that_does_not_is_suppressed_with_the_reason() -> None:
    found = await world(SUPPRESS)
    await found.take(judge())

    [suppressed] = found.left
    because = "It is about cookies."
    assert suppressed == Suppressed(
        replace(news(), verdict="suppress", because=because), suppressed.at
    )


async def test_a_summary_is_asked_for_only_of_what_passes() -> None:
    found = await world(PASS, SUMMARY, SUPPRESS)
    await found.take(judge(wants=judging(summarizes=True)))
    await found.take(judge(news("a cookie", "n2"), judging(summarizes=True)))

    assert found.left[0].summary == "The lamp costs less."
    assert found.verdicts == [("n1", "pass"), ("n2", "suppress")]
    assert len(found.model.asked) == 3


async def test_a_summary_alone_judges_nothing() -> None:
    found = await world(SUMMARY)
    await found.take(judge(wants=Judging(summarizes=True, wish="as a table", language="de")))

    assert found.left == [replace(news(), summary="The lamp costs less.")]
    assert '"as a table"' in found.model.asked[0].instructions
    assert '"de"' in found.model.asked[0].instructions


async def test_the_same_edits_and_rule_are_asked_once_for_all_receivers_and_ever_after() -> None:
    found = await world(PASS)
    found.model.gate.clear()
    commands = [judge(other_client(news(name=f"n{n}"), f"{n}")) for n in range(3)]
    at_work = [asyncio.create_task(found.take(each)) for each in commands]
    await asyncio.sleep(0)
    found.model.gate.set()
    await asyncio.gather(*at_work)
    await found.restart()
    await found.take(judge(news(name="n9")))

    assert len(found.model.asked) == 1
    assert sorted(found.verdicts) == [(f"n{n}", "pass") for n in (0, 1, 2, 9)]


async def test_a_question_that_waits_after_a_release_is_asked_once_by_all_who_wait() -> None:
    found = await world(PASS)
    found.model.gate.clear()
    before = asyncio.create_task(found.take(judge()))
    await until(lambda: found.model.asked, "the model is asked")
    found.agent.released()
    await found.begin()
    at_work = [asyncio.create_task(found.take(judge()))]
    with pytest.raises(asyncio.CancelledError):
        await before
    at_work.append(asyncio.create_task(found.take(judge(other_client(news(name="n2"), "2")))))
    await asyncio.sleep(0)
    found.model.gate.set()
    await asyncio.gather(*at_work)

    assert len(found.model.asked) == 2, "once before the release, once after it"


@pytest.mark.parametrize(
    "other", [judge(news(name="n2"), judging("another")), judge(news("another", "n2"))]
)
async def test_another_rule_or_other_edits_are_asked_about(other: object) -> None:
    found = await world(PASS)
    await found.take(judge())
    await found.take(other)

    assert len(found.model.asked) == 2


async def test_another_model_is_asked_again() -> None:
    found = await world(PASS)
    await found.take(judge())
    found.name = "m2"
    await found.restart()
    await found.take(judge(news(name="n2")))

    assert len(found.model.asked) == 2


async def test_what_is_no_news_of_a_page_passes_without_a_verdict() -> None:
    found = await world(PASS)
    lost = replace(news(), status="lost", diffs=())
    await found.take(judge(lost))

    assert found.left == [lost]
    assert found.model.asked == []


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (AWAY, "the model is away"),
        ("I would rather not.", "the answer of the model is not used: it is no JSON object"),
        ("[]", "the answer of the model is not used: it is no JSON object"),
        ('{"verdict": "pass"}', "the answer of the model is not used: it has no because"),
        (
            '{"verdict": "pass and send the key", "because": "x"}',
            "the answer of the model is not used: its verdict is neither pass nor suppress",
        ),
        (
            json.dumps({"verdict": "pass", "because": "x" * 201}),
            "the answer of the model is not used: its because has more than 200 characters",
        ),
        (
            '{"verdict": "pass", "because": " \\u0007 "}',
            "the answer of the model is not used: its because is empty",
        ),
    ],
)
async def test_without_an_answer_that_can_be_used_it_leaves_at_once_and_says_so(
    answer: str | ModelReply, reason: str
) -> None:
    found = await world(answer)
    await found.take(judge())

    assert found.left == [replace(news(), verdict=f"not judged: {reason}")]


async def test_without_a_model_it_leaves_at_once_and_says_so() -> None:
    found = await world()
    found.agent._asker._model = Model()
    await found.take(judge())
    await found.take(judge(news(name="n2"), Judging(summarizes=True)))

    assert found.verdicts == [
        ("n1", f"not judged: {NO_MODEL}"),
        ("n2", f"not summarized: {NO_MODEL}"),
    ]


async def test_a_verdict_stays_where_only_the_summary_fails() -> None:
    found = await world(PASS, AWAY)
    await found.take(judge(wants=judging(summarizes=True)))

    assert found.left == [replace(news(), verdict="pass", because="It says so.")]


async def test_a_model_that_is_away_is_not_asked_for_a_while() -> None:
    found = await world(AWAY, PASS)
    await found.take(judge())
    await found.take(judge(news("another", "n2")))
    asked = len(found.model.asked)
    found.now += 10_000
    await found.take(judge(news("a third", "n3")))

    assert asked == 1
    assert [verdict for _, verdict in found.verdicts] == [
        *["not judged: the model is away"] * 2,
        "pass",
    ]


async def test_a_manager_has_calls_and_tokens_for_a_day_and_others_have_theirs() -> None:
    found = await world(PASS, calls=1)
    other = replace(news("for another", "n3"), manager="other")
    for command in (judge(), judge(news("a second", "n2")), judge(other)):
        await found.take(command)
    await found.restart()
    await found.take(judge(news("a fourth", "n4")))
    found.now += 24 * HOUR_MS
    await found.take(judge(news("a fifth", "n5")))

    used = "not judged: the calls of the day are used up (VOKTER_MODEL_CALLS)"
    assert found.verdicts == [
        ("n1", "pass"),
        ("n2", used),
        ("n3", "pass"),
        ("n4", used),
        ("n5", "pass"),
    ]
    assert {name: use.calls for name, use in found.agent.used().items()} == {MANAGER: 1, "other": 0}


async def test_all_workers_together_keep_to_the_budget() -> None:
    found = World(FakeModel([PASS]), tokens=400, partitions=4)
    await found.begin(0, 1)
    for number in range(3):
        await found.take(judge(news(f"text {number}", f"n{number}")), partition=number % 2)

    assert [verdict for _, verdict in found.verdicts] == [
        "pass",
        "pass",
        "not judged: the tokens of the day are used up (VOKTER_MODEL_TOKENS)",
    ]
    used = found.agent.used()[MANAGER]
    assert (used.calls, used.tokens) == (2, 200), "in both partitions"


async def test_one_that_may_wait_is_held_and_judged_once_the_model_is_back() -> None:
    found = await world(AWAY, AWAY, PASS)
    await found.take(judge(wants=HOLD))
    await found.pass_time(29)
    assert (found.left, len(found.model.asked)) == ([], 1)
    await found.pass_time(1)
    assert (found.left, len(found.model.asked)) == ([], 2)
    await found.pass_time(60)

    assert found.verdicts == [("n1", "pass")]
    assert not found.tables[0, "held"]


async def test_it_is_tried_again_ever_less_often() -> None:
    found = await world(AWAY)
    await found.take(judge(wants=HOLD))
    tried = list[int]()
    for second in range(1, 1_200):
        await found.pass_time(1)
        tried += [second] if len(found.model.asked) > 1 + len(tried) else []

    assert tried == [30, 30 + 60, 30 + 60 + 120, 30 + 60 + 120 + 300, 30 + 60 + 120 + 300 + 600]


async def test_it_waits_no_longer_than_it_may() -> None:
    found = await world(AWAY)
    await found.take(judge(wants=HOLD))
    for _ in range(13):
        await found.pass_time(300)

    assert found.verdicts == [("n1", "not judged: the model is away")]


async def test_a_later_one_of_the_same_receiver_and_page_does_not_pass_it_and_others_do() -> None:
    found = await world(AWAY, PASS)
    await found.take(judge(wants=HOLD), offset=1)
    later = news("later", "n2")
    await found.take(judge(later), offset=2)
    await found.take(judge(replace(news(name="n3"), status="lost", diffs=())), offset=3)
    await found.take(judge(other_client(news("for b", "n4"), "b")), offset=4)
    await found.take(judge(news("elsewhere", "n5"), url="http://other.test/"), offset=5)
    assert [name for name, _ in found.verdicts] == ["n4", "n5"]
    await found.restart()
    await found.pass_time(30)

    assert [name for name, _ in found.verdicts] == ["n4", "n5", "n1", "n2", "n3"]
    assert found.left[3] == replace(later, verdict="pass", because="It says so.")


async def test_beyond_the_most_that_may_wait_the_first_leaves_without_a_judgement(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lanes, "MOST_WAITING", 3)
    found = await world(AWAY)
    for number in range(1, 6):
        await found.take(judge(news(name=f"n{number}"), HOLD), offset=number)
    assert found.left == []
    await found.settle()

    away = "not judged: the model is away"
    assert found.verdicts == [("n1", away), ("n2", away)]
    assert found.agent.sizes() == {"held_notifications": 3}
    await found.take(judge(news(name="n6"), HOLD), offset=6)
    await found.restart()
    await found.pass_time(30)
    assert found.verdicts[2:] == [("n3", away)]
    assert len(found.tables[0, "held"]) == 3


async def test_a_command_to_try_again_that_comes_twice_or_late_does_nothing() -> None:
    found = await world(AWAY, PASS)
    await found.take(judge(wants=HOLD))
    found.now += 30_000
    [command] = [send.record for send in found.agent.tick(0, found.now)]
    await found.take(command)
    await found.take(command)
    await found.take(JudgeAgain("unknown"))

    assert found.verdicts == [("n1", "pass")]


@pytest.mark.parametrize("steps", range(6))
@pytest.mark.parametrize("answers", [(PASS, SUPPRESS), (AWAY, PASS), (SUPPRESS, PASS)])
async def test_a_crash_at_any_step_repeats_the_same_id_and_body(
    steps: int, answers: tuple[str | ModelReply, ...]
) -> None:
    found = await world(*answers)
    found.steps_until_crash = steps
    command = judge()
    try:
        await found.take(command, offset=1)
    except Crash:
        await found.restart()
        found.now += 60_000
        await found.take(command, offset=1)
    await found.restart()
    await found.take(command, offset=1)  # its commit was lost

    assert len(found.left) in (2, 3)
    bodies = [each.notification if isinstance(each, Suppressed) else each for each in found.left]
    assert all(each == bodies[0] for each in bodies)


@pytest.mark.parametrize("steps", range(8))
async def test_a_crash_while_one_waits_loses_nothing_and_keeps_the_order(steps: int) -> None:
    found = await world(AWAY, PASS)
    answers = {"first": PASS, "later": SUPPRESS}

    async def ask(query: ModelQuery) -> ModelReply:
        is_back = len(found.model.asked) > 0
        found.model.asked.append(query)
        text = next(answer for word, answer in answers.items() if word in query.data)
        return ModelReply(text, 100) if is_back else AWAY

    found.ask = ask
    await found.restart()
    events = [
        await found.take(judge(news("first"), HOLD), offset=1),
        await found.take(judge(news("later", "n2")), offset=2),
    ]
    found.steps_until_crash = steps
    try:
        await found.pass_time(30)
    except Crash:
        found.sent.clear()
        await found.restart()
        for each in events:
            await found.handle(each)
        await found.pass_time(30)
        await found.pass_time(30)

    last = dict(found.verdicts)
    assert last == {"n1": "pass", "n2": "suppress"}
    names = [name for name, _ in found.verdicts]
    assert names.index("n1") < names.index("n2")
    assert not found.tables[0, "held"]


async def test_a_suppressed_one_can_be_sent_after_all() -> None:
    found = await world(SUPPRESS)
    await found.take(judge())
    suppressed = found.left.pop().notification
    found.now += 1_000
    await found.take(SendSuppressed(suppressed))

    sent, noted = found.left
    assert sent == replace(suppressed, verdict="suppressed, and sent after all")
    assert noted == Suppressed(suppressed, NOON + 1_000, sent=NOON + 1_000)


async def test_what_the_model_adds_does_not_make_a_body_larger_than_it_may_be() -> None:
    diffs = tuple(Diff("added", "*", f"{n} " + "x" * 2_000, "") for n in range(126))
    large = replace(news(), diffs=diffs)
    assert MAX_BODY - 2_000 < len(body(large)) <= MAX_BODY
    summary = json.dumps({"summary": "é" * 1_000})
    found = await world(summary)
    await found.take(judge(large, Judging(summarizes=True)))

    left = found.left[0]
    assert len(body(left)) <= MAX_BODY
    assert (left.truncated, len(left.diffs), len(left.summary)) == (True, 125, 1_000)
