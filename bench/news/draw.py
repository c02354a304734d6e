"""Draws the keywords that are asked about, from the words of a pair, by a seed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from random import Random

from bench.news.truth import ADDED, REMOVED, Question, Truth
from bench.news.words import candidates, sentences

MOST_ITEMS = 400
"""Items and sentences that words are drawn from: a page may have changed altogether."""


def questions(truth: Truth, language: str, seed: str) -> list[Question]:
    """Return the questions about a pair; the same for the same seed."""
    random = Random(seed)  # noqa: S311  # draws samples, guards nothing
    keywords = dict.fromkeys(_keywords(truth, language, random))
    asked = [each for keyword in keywords for each in truth.questions(keyword)]
    for event, changed in ((ADDED, truth.came), (REMOVED, truth.gone)):
        for first, second in _couples(changed, language, random):
            asked.extend(truth.both(first, second, event))
    return list(dict.fromkeys(asked))


def _keywords(truth: Truth, language: str, random: Random) -> Iterator[str]:
    old, new = truth.old.sentences, truth.new.sentences
    known_old, known_new = set(old), set(new)
    came, gone = truth.came, truth.gone
    changed = [each for each in new if each not in known_old]
    changed += [each for each in old if each not in known_new]
    still = [each for each in old if each in known_new]
    pools = ((came, 4), (gone, 4), (changed, 4), (truth.edited, 3), (still, 3))
    for texts, most in pools:
        yield from _spread(_frequencies(texts, language, random), most, random)
    both = _frequencies(came, language, random), _frequencies(gone, language, random)
    yield from _spread(both[0] & both[1], 3, random)
    yield from _spread(_frequencies(sorted(truth.moved), language, random), 3, random)


def _frequencies(texts: Sequence[str], language: str, random: Random) -> Counter[str]:
    """Count in how many texts each word is that may be a keyword."""
    some = texts if len(texts) <= MOST_ITEMS else random.sample(texts, MOST_ITEMS)
    return Counter(word for text in some for word in candidates(text, language))


def _spread(found: Counter[str], most: int, random: Random) -> Iterable[str]:
    """Draw words from the rarest to the most frequent, as many of each part."""
    ranked = sorted(found, key=lambda word: (found[word], word))
    if len(ranked) <= most:
        return ranked
    cuts = [len(ranked) * n // most for n in range(most + 1)]
    return [random.choice(ranked[cuts[n] : cuts[n + 1]]) for n in range(most)]


def _couples(texts: Sequence[str], language: str, random: Random) -> Iterator[tuple[str, str]]:
    """Draw two words of two items, twice, and two words of one sentence."""
    for _ in range(2 if len(texts) > 1 else 0):
        couple = [candidates(each, language) for each in random.sample(texts, 2)]
        if all(couple):
            first, second = (random.choice(each) for each in couple)
            if first != second:
                yield first, second
    if texts:
        some = candidates(random.choice(sentences(random.choice(texts)) or [""]), language)
        if len(some) > 1:
            first, second = random.sample(some, 2)
            yield first, second
