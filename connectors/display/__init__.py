"""Shows the entries of a notification to people; programs read its body (schemas/codec/body.py).

entries.py      what is shown of each entry: a label, headings, and one or two lines
  sentences.py  an edited sentence: what is the same, what was and what is
    words.py    its words, compared
    letters.py  what changed inside a long word
  shortening.py a long line, cut around what changed
returns.py      that a page went back to a text that it had before
standing.py     that a change has stood for a while, and why it is notified
times.py        when a subscription wants to be notified
runs.py         marked runs of text, of which a line consists
notices.py     a headline, and that a document is not there
plain.py        as plain text
html.py         as HTML
"""
