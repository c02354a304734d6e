"""The fetch agent: reads documents and publishes what has changed in them."""
