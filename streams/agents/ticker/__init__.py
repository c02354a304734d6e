"""Decides when a document is due: ``agenda.py`` keeps what is next."""
