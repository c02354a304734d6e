"""Languages for people: their texts, and their forms of times and numbers.

texts.py    the language of a context, and the texts of its catalogue
formats.py  times and numbers in that language
locale/     the catalogues, one for each language but English, as translators edit them
"""
