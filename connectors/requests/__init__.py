"""Requests of clients to change something, for REST and the page alike."""
