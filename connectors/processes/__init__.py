"""Processes that read strangers' documents, and may be killed while they do."""
