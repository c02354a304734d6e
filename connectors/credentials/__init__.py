"""Credentials for pages behind a login: reading, encrypting, using and renewing them."""
