"""Decides which passages of a change concern a subscription, and what it is notified of.

notifications.py   what a notification says
  matcher.py         which passages a subscription's keywords have come to or gone from
    change_words.py    which passages of the change have which words
      word_table.py      the words in order, and where phrases of them are
      spellings.py       the different words, found by their normal forms
      closest.py         where the phrases of a keyword are closest
    passage_set.py     sets of passages
  snippets.py        the part of a passage that is shown, with what is around it
"""
