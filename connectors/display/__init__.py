"""Shows the entries of a notification to people; programs read its body (schemas/codec/body.py).

entries.py      what is shown of each entry: a label, headings, and one or two lines
  sentences.py  an edited sentence: what is the same, what was and what is
    words.py    its words, compared, and what changed inside a long one
  replaced_lines.py  a short line that another one replaced
  shortening.py a long line, cut around what changed
explanations.py sentences that explain a notification: what returned, stood, or was held
subscription_texts.py  what a subscription wants, and when
runs.py         marked runs of text, of which a line consists
notices.py      that a document, or its part, is not there
headlines.py    one line that says the news
directions.py   the direction of a text, and of an arrow in it
plain.py        as plain text
html.py         as HTML
"""
