"""Words: what they are, when two are the same, and what a keyword asks for.

tokens.py         cuts text into words, and into units for comparison
units.py          cuts lines into sentences
word_forms.py     the normal form of a word: spelling, case, stem; stop words
  inner_words.py  what a word is without elision, possessive, suffix or particle
  stemming.py       Snowball's stemmers, or a plug-in's
signs.py          the signs of a keyword, such as those of C++, which the text must have, too
keywords.py       a keyword's phrases, and a keyword compiled for how a subscription compares words
word_parts.py     parts of words, by which a keyword finds compounds
times.py          dates, times of day and ages
language.py       detects the language of a text, by its script and its sequences of letters
  scripts.py      the script of a text, and the languages that are written in it
  detector.py       langdetect's detector with arrays; numpy is loaded with it
concordance.py    where the words of a text are, for the playground
"""
