"""Decides when a document is due: ``due.py`` computes it, ``agenda.py`` keeps what is next."""
