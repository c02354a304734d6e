"""Reads of what a manager may see, for REST and the page alike; neither JSON nor HTML is here."""
