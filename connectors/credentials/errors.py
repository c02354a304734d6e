"""Errors of credentials in setting and use; no message has a secret."""


class InvalidCredentials(ValueError):
    """The input is no credentials; the text names the field or the line."""


class TooManyCredentials(Exception):
    """A manager has as many credentials as are allowed."""


class CredentialsUnusable(Exception):
    """Credentials do not exist or cannot be decrypted; the text names the remedy."""


class Locked(Exception):
    """The stored credentials were encrypted with another key, or for another owner or name."""
