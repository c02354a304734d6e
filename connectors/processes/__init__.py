"""Processes that do work for strangers, and may be killed while they do."""
