"""Sign in with OpenID Connect: the issuer, its tokens, and the rights of its users here."""
