"""How to reach the brokers: where they are, TLS, and who we are to them."""

import ssl
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Access:
    """What every client of Kafka is built with.

    ``bootstrap`` is ``host:port,…``; ``security`` one of Kafka's four protocols.
    ``ca``, ``cert`` and ``key`` are PEM files; without a ``ca`` the system's authorities count.
    """

    bootstrap: str
    security: str = "PLAINTEXT"
    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None
    mechanism: str = "PLAIN"
    user: str | None = None
    password: str | None = field(default=None, repr=False)

    @cached_property
    def ssl_context(self) -> ssl.SSLContext | None:
        """The TLS settings, None without TLS. OSError (SSLError) where a file is none."""
        if not self.security.endswith("SSL"):
            return None
        context = ssl.create_default_context(cafile=self.ca)
        if self.cert is not None:
            context.load_cert_chain(self.cert, self.key)
        return context

    @property
    def uses_sasl(self) -> bool:
        """Whether we have to say who we are."""
        return self.security.startswith("SASL")

    def client(self) -> dict[str, Any]:
        """Give the options of any of aiokafka's clients."""
        options: dict[str, Any] = {
            "bootstrap_servers": self.bootstrap,
            "security_protocol": self.security,
            "ssl_context": self.ssl_context,
        }
        if self.uses_sasl:
            options |= {
                "sasl_mechanism": self.mechanism,
                "sasl_plain_username": self.user,
                "sasl_plain_password": self.password,
            }
        return options
