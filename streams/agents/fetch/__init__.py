"""The fetch stage: reads documents and publishes what has changed in them."""
