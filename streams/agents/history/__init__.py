"""History: what is kept of pages is matched, read and notified again, and pages are tried."""
