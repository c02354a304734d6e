"""Sign in with OpenID Connect: the issuer, its tokens, and what its users may do here."""
