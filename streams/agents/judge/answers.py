"""Check the answers of a language model: nothing but a verdict with its reason, or a summary."""

import json
from typing import Any

from schemas.records.answers import ModelQuery
from schemas.records.field_types import MAX_BECAUSE, MAX_SUMMARY
from schemas.records.judgements import PASSED, SUPPRESSED, ModelAnswer
from streams.agents.judge.questions import JUDGE


class InvalidAnswer(Exception):
    """An answer is not what was asked for; the text says what is wrong with it."""


def checked_answer(query: ModelQuery, text: str) -> ModelAnswer:
    """Return the answer to a question, or raise InvalidAnswer.

    >>> query = ModelQuery(JUDGE, "", "", "")
    >>> checked_answer(query, '{"verdict": "pass", "because": "It costs less."}')
    ModelAnswer(passes=True, text='It costs less.')
    """
    # Models without structured output put words around the object.
    begin, end = text.find("{"), text.rfind("}") + 1
    try:
        found = json.loads(text[begin:end])
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InvalidAnswer("it is no JSON object")
    if query.name != JUDGE:
        return ModelAnswer(True, _text(found, "summary", MAX_SUMMARY))
    verdict = found.get("verdict")
    if verdict not in (PASSED, SUPPRESSED):
        raise InvalidAnswer(f"its verdict is neither {PASSED} nor {SUPPRESSED}")
    because = " ".join(_text(found, "because", MAX_BECAUSE).split())
    return ModelAnswer(verdict == PASSED, because)


def _text(found: dict[str, Any], name: str, most: int) -> str:
    value = found.get(name)
    if not isinstance(value, str):
        raise InvalidAnswer(f"it has no {name}")
    # A lone surrogate is no text, and a control character might move a terminal's cursor.
    value = "".join(each for each in value if each.isprintable() or each == "\n").strip()
    if not value:
        raise InvalidAnswer(f"its {name} is empty")
    if len(value) > most:
        raise InvalidAnswer(f"its {name} has more than {most} characters")
    return value
