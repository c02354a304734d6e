"""Errors of signing in."""


class SignInRefused(Exception):
    """A sign-in is not accepted; the text names the reason and the remedy."""


class ClientSecretUnreadable(Exception):
    """The file of the client secret cannot be read; the text says why."""


class IssuerUnavailable(Exception):
    """The issuer does not answer as OpenID Connect says; the text says how."""
