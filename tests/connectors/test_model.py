"""The client of language models, against a server on loopback."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from connectors.http.egress import EgressGuard
from connectors.model import ModelClient
from schemas.records.answers import ModelQuery
from schemas.records.egress_policy import EgressPolicy
from streams.agents.judge.questions import judge_query
from streams.effects.judge import opened_model
from streams.settings import Settings
from tests.agents.judge.world import judging, news
from tests.harness.waiting import until
from tests.servers.model import KEY, NAME, ModelServer, serving_model

QUERY = judge_query(news("a cheap lamp"), judging("only 'lamp'"))


@asynccontextmanager
async def client(model: ModelServer, **options: Any) -> AsyncIterator[ModelClient]:
    guard = EgressGuard(EgressPolicy(("127.0.0.0/8",)))
    async with ModelClient(guard, model.url, NAME, **options) as found:
        yield found


async def test_a_question_is_answered_and_its_tokens_are_counted() -> None:
    async with serving_model() as model, client(model, key=KEY) as asking:
        reply = await asking.ask(QUERY)

    assert (reply.text, reply.tokens, reply.error) == (
        '{"verdict": "pass", "because": "The words say so."}',
        100,
        "",
    )
    assert model.asked[0]["model"] == NAME
    assert model.asked[0]["response_format"]["type"] == "json_schema"
    assert model.keys == [f"Bearer {KEY}"]


@pytest.mark.parametrize("knows", [(), ("response_format",), ("max_tokens", "temperature")])
async def test_a_server_is_asked_for_less_until_it_knows_all_options(
    knows: tuple[str, ...],
) -> None:
    async with serving_model(ModelServer(knows=knows)) as model, client(model) as asking:
        first, second = [await asking.ask(QUERY) for _ in range(2)]

    assert not first.error
    assert first == second
    assert len(model.asked) == 2, "the second question has the form that was answered"
    assert model.asked[0]["messages"][0]["content"] == QUERY.instructions


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("slow", "the model gave no answer within 0.2 s (VOKTER_MODEL_TIMEOUT)"),
        ("busy", "the model gave no answer within 0.2 s (VOKTER_MODEL_TIMEOUT)"),
        ("broken", "the model answered with HTTP 500"),
        ("cut", "the model cannot be reached: "),
        ("no choice", "the answer of the model's server is no chat completion"),
    ],
)
async def test_a_server_that_fails_is_an_error_and_no_exception(fault: str, reason: str) -> None:
    async with (
        serving_model(ModelServer(fault=fault)) as model,
        client(model, timeout_s=0.2 if "0.2 s" in reason else 20) as asking,
    ):
        reply = await asking.ask(QUERY)

    assert reply.text == ""
    assert reply.error.startswith(reason)
    assert reply.is_away == (fault != "no choice")


async def test_a_server_that_was_busy_is_asked_again_within_the_time() -> None:
    async with serving_model(ModelServer(fault="busy")) as model, client(model) as asking:
        question = asyncio.create_task(asking.ask(QUERY))
        await until(lambda: bool(model.asked), "it is asked")
        model.fault = ""

        assert not (await question).error


async def test_a_server_that_is_not_there_is_an_error() -> None:
    async with serving_model() as model:
        pass
    async with client(model) as asking:
        reply = await asking.ask(QUERY)

    assert reply.error.startswith("the model cannot be reached: ")
    assert reply.is_away


async def test_so_many_questions_are_asked_at_a_time() -> None:
    async with (
        serving_model(ModelServer(fault="slow")) as model,
        client(model, at_once=2) as asking,
    ):
        questions = [asyncio.create_task(asking.ask(QUERY)) for _ in range(3)]
        await until(lambda: len(model.asked) == 2, "two are asked")
        await asyncio.sleep(0)
        asked = len(model.asked)
        model.may_answer.set()
        replies = await asyncio.gather(*questions)

    assert asked == 2
    assert not any(each.error for each in replies)


async def test_a_question_without_a_turn_in_time_does_not_say_that_the_model_is_away() -> None:
    async with serving_model() as model, client(model, at_once=0, timeout_s=0.05) as asking:
        reply = await asking.ask(QUERY)

    assert reply.error == "the model had other questions within 0.05 s (VOKTER_MODEL_TIMEOUT)"
    assert not reply.is_away
    assert not model.asked


async def test_the_model_may_be_private_and_redirects_are_not_followed(tmp_path: Any) -> None:
    async with serving_model() as model:
        settings = Settings(
            data_dir=tmp_path, model_url=model.url, model=NAME, model_key=KEY
        )  # no VOKTER_ALLOW_PRIVATE
        async with opened_model(settings) as found:
            assert found.ask is not None
            assert not (await found.ask(QUERY)).error
    assert KEY not in repr(settings)


async def test_an_answer_that_is_too_large_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("connectors.model.MAX_ANSWER", 10)
    async with serving_model() as model, client(model) as asking:
        reply = await asking.ask(ModelQuery("judgement", QUERY.instructions, QUERY.data, "{}"))

    assert reply.error == "the model cannot be reached: the answer has more than 10 bytes"
