"""Settings of signing in with OpenID Connect."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, Field, SecretStr, field_validator, model_validator
from pydantic_settings import NoDecode

Texts = Annotated[tuple[str, ...], NoDecode]
ROLES = ("read", "write", "admin")
SAFE = r"^(https://.+|http://(127\.0\.0\.1|\[::1\]|localhost)(:[0-9]+)?(/.*)?)$"


class OpenIdSettings(BaseModel):
    """Settings by which teams sign in to the page."""

    public_url: str | None = Field(
        None,
        pattern=SAFE,
        description="Address at which browsers reach the page, such as `https://vokter.example`: "
        "messages link to it.",
    )
    oidc_issuer: str | None = Field(
        None,
        pattern=SAFE,
        description="OpenID Connect issuer with whose accounts [teams sign in]"
        "(how-to/sign-in-with-openid-connect.md).",
    )
    oidc_client_id: str | None = Field(None, description="Client id at the issuer.")
    oidc_client_secret: SecretStr | None = Field(None, description="Client secret at the issuer.")
    oidc_client_secret_file: Path | None = Field(
        None, description="File of the client secret, instead of `VOKTER_OIDC_CLIENT_SECRET`."
    )
    oidc_roles: Texts = Field(
        (),
        description="Roles of accounts, comma-separated, such as `admin=ops,read=*`: a role, and "
        "the value of the claim that has it; `*` is any account. Others cannot sign in.",
    )
    oidc_role_claim: str = Field("groups", description="Claim with the values for roles.")
    oidc_manager: str = Field(
        "default", max_length=256, description="Manager for whom accounts act."
    )
    oidc_manager_claim: str | None = Field(
        None,
        description="Claim that names the manager instead; it must be one that users cannot edit.",
    )
    oidc_domains: Texts = Field(
        (), description="Domains, comma-separated, of verified e-mail addresses that may sign in."
    )

    @property
    def oidc_role_pairs(self) -> tuple[tuple[str, str], ...]:
        """The roles, each with the value of the claim that has it."""
        pairs = (each.partition("=") for each in self.oidc_roles)
        return tuple((role, value) for role, _, value in pairs)

    @field_validator("oidc_domains", mode="before")
    @classmethod
    def _domains(cls, value: Any) -> Any:
        return tuple(text.lower() for text in _texts(value))

    @field_validator("oidc_roles", mode="before")
    @classmethod
    def _roles(cls, value: Any) -> Any:
        found = tuple(_texts(value))
        pairs = [text.partition("=") for text in found]
        if not all(role in ROLES and name for role, _, name in pairs):
            raise ValueError(f"must be ROLE=VALUE, separated by commas, with {', '.join(ROLES)}")
        return found

    @model_validator(mode="after")
    def _whole(self) -> Self:
        needed = {
            "VOKTER_PUBLIC_URL": self.public_url,
            "VOKTER_OIDC_CLIENT_ID": self.oidc_client_id,
            "VOKTER_OIDC_ROLES": self.oidc_roles,
        }
        missing = [name for name, value in needed.items() if not value]
        if self.oidc_issuer is not None and missing:
            raise ValueError(f"VOKTER_OIDC_ISSUER needs {' and '.join(missing)}")
        return self


def _texts(value: Any) -> Iterable[str]:
    texts = value.split(",") if isinstance(value, str) else value
    return (text.strip() for text in texts if text.strip())
