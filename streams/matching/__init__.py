"""Decides which sentences of a change concern a subscription, and what it is notified of.

backtest.py        what kept changes would have notified a subscription of
notifications.py   what a notification says
  matcher.py         which sentences a subscription's keywords are in, by its scope
    change_words.py    the changed sentences, and a search for words for each reach
      sentences.py       the sentences, their numbers and their neighbours
      cards.py           the names of the cards in which values stand
      stretches.py       where words are looked for: sentences, blocks, whole texts
      word_search.py     which of these have which words
        word_table.py      the words in order, and where phrases of them are
        spellings.py       the different words, found by their normal forms
    edits.py           edited sentences that are no news: other forms of words, or noise but
                       for amounts, and for what is next to a keyword
    sentence_set.py    sets of sentences
  entries.py         what is said of a keyword in a sentence
    passages.py        the text that is shown and its link, the same for all keywords in it
      snippets.py        the part of a sentence that is shown, with what is around it
      sentence_numbers.py  numbers that changed
    marks.py           keyword and changed words in it, and the phrases that are closest
"""
