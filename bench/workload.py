"""Made-up subscriptions and changes for the benches of the index.

In texts words are as frequent as Zipf's law says: the word of rank r is r times
rarer than the first.
"""

import random
from dataclasses import replace
from math import log

from schemas.records.changes import Edit, Place, Region, Sentence
from schemas.records.subscriptions import Options, Receiver, Subscription
from schemas.records.table_rows import Applied, Registration, RequestAnswer

SENTENCES, LENGTH, PLANTED = 40, 5, 10
"""A change has 40 new sentences of 5 words; in 10 of them is some subscription's keyword."""
VOCABULARY = 200_000
COMMON = 1_000
"""Words of these ranks are most of a text, and not specific."""
LANGUAGE = "en"
_SYLLABLES = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]


def vocabulary(chance: random.Random) -> list[str]:
    """Return different made-up words of two to five syllables, the most frequent first."""
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        words["".join(chance.choices(_SYLLABLES, k=chance.randint(2, 5)))] = None
    return list(words)


def frequencies(words: list[str], of: int) -> list[int]:
    """Return how often each word is in a text of so many words."""
    return [1 + int(of * log(1 + 1 / rank) / log(len(words))) for rank in range(1, len(words) + 1)]


def specific_keyword(words: list[str], chance: random.Random) -> str:
    """Return a keyword of one to three words: as in texts, but for the last, which is specific."""
    count = chance.choice((1, 2, 2, 3))
    specific = words[chance.randrange(COMMON, len(words))]
    return " ".join([*(_word(words, chance) for _ in range(count - 1)), specific])


def even_keyword(words: list[str], chance: random.Random) -> str:
    """Return a keyword of one to three words, each as likely as any."""
    return " ".join(chance.choices(words, k=chance.choice((1, 2, 2, 3))))


KEYWORDS = {"common and specific words": specific_keyword, "evenly rare words": even_keyword}
"""Workloads by what their keywords are made of."""


def subscription(number: int, keyword: str, chance: random.Random) -> Subscription:
    """Return a subscription with random options."""
    stems, filters, folds = (chance.random() < 0.5 for _ in range(3))
    options = Options(enable_stemming=stems, filter_stopwords=filters, ignore_case=folds)
    return Subscription(
        id=f"{number}",
        watch="w",
        manager="default",
        document_url="http://document.test/",
        url="http://document.test/",
        receiver=Receiver(f"http://client.test/{number}"),
        keywords=(keyword,),
        options=options,
        created=number,
    )


def plain(number: int, keyword: str, chance: random.Random) -> Subscription:
    """Return a subscription to exact words, ignoring case."""
    each = subscription(number, keyword, chance)
    return replace(each, options=Options(ignore_case=True))


def registered(kept: Subscription) -> Registration:
    """Return the row of a subscription as match writes it."""
    answer = RequestAnswer(kept.id, "Subscribe", 0, kept.id)
    return Registration(kept, (Applied(0, 1, 1),), (answer,), kept.created)


def change(everyone: list[Subscription], words: list[str], chance: random.Random) -> list[Region]:
    """Return new sentences of words as frequent as in texts, with a few keywords."""
    sentences = _sentences(words, chance, SENTENCES)
    for sentence, matching in zip(sentences, chance.sample(everyone, PLANTED), strict=False):
        sentence[: len(matching.keywords[0].split())] = matching.keywords[0].split()
    return [new_sentence(" ".join(each)) for each in sentences]


def plain_change(words: list[str], chance: random.Random, sentences: int) -> list[Region]:
    """Return new sentences of words as frequent as in texts."""
    return [new_sentence(" ".join(each)) for each in _sentences(words, chance, sentences)]


def new_sentence(text: str) -> Region:
    """Return a place where a sentence is new."""
    edit = Edit("added", None, Sentence(0, len(text), ()), "")
    return Region(None, Place(0, text), (), (edit,))


def _sentences(words: list[str], chance: random.Random, count: int) -> list[list[str]]:
    texts = [_word(words, chance) for _ in range(count * LENGTH)]
    return [texts[n::count] for n in range(count)]


def _word(words: list[str], chance: random.Random) -> str:
    return words[int(len(words) ** chance.random()) - 1]
