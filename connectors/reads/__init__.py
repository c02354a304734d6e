"""Reads of data visible to a manager, for REST and the page; neither JSON nor HTML is here."""
