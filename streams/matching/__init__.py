"""Decides which sentences of a change concern a subscription, and what it is notified of.

backtest.py        what kept changes would have notified a subscription of
notifications.py   what a notification says
  matcher.py         which sentences a subscription's keywords are in, by its scope
    change_words.py    the changed sentences, and a search for words for each reach
      sentences.py       the sentences, their numbers and their neighbours
      stretches.py       where words are looked for: sentences, blocks, whole texts
      word_search.py     which of these have which words
        word_table.py      the words in order, and where phrases of them are
        spellings.py       the different words, found by their normal forms
        closest.py         where the phrases of a keyword are closest
    edits.py           edited sentences that are no news: other forms of words, noise
      importance.py      noise that matters: amounts, and what is next to a keyword
    sentence_set.py    sets of sentences
  entries.py         what is said of a keyword in a sentence
    passages.py        the text that is shown, with what is the same for all keywords in it
      snippets.py        the part of a sentence that is shown, with what is around it
      values.py          numbers that changed
      links.py           a link to the text in the page
    marks.py           where keyword and changed words are in it
"""
