"""Signing in with the issuer in the settings."""

from collections.abc import Callable

from connectors.access.roles import Role
from connectors.openid.attempts import SignInAttempts
from connectors.openid.errors import ClientSecretUnreadable
from connectors.openid.issuer import Client, Issuer
from connectors.openid.members import MemberRules
from connectors.page.session.signing_in import RETURN, Team
from streams.settings import Settings


def team_of(
    settings: Settings,
    signing_key: bytes,
    clock: Callable[[], float],
    monotonic: Callable[[], float],
) -> Team | None:
    """Return how teams sign in, None without an issuer; raises ClientSecretUnreadable."""
    if settings.oidc_issuer is None:
        return None
    redirect = f"{(settings.public_url or '').rstrip('/')}{RETURN}"
    client_id = settings.oidc_client_id or ""
    client = Client(settings.oidc_issuer, client_id, _secret(settings), redirect)
    rules = MemberRules(
        roles=tuple((Role(role), value) for role, value in settings.oidc_role_pairs),
        role_claim=settings.oidc_role_claim,
        manager=settings.oidc_manager,
        manager_claim=settings.oidc_manager_claim,
        domains=settings.oidc_domains,
    )
    return Team(Issuer(client, clock, monotonic), rules, SignInAttempts(signing_key, clock))


def _secret(settings: Settings) -> str:
    path = settings.oidc_client_secret_file
    if path is None:
        given = settings.oidc_client_secret
        return given.get_secret_value() if given else ""
    try:
        return path.read_text("utf-8").strip()
    except (OSError, ValueError) as error:
        raise ClientSecretUnreadable(
            f"Cannot read the client secret in {path} (VOKTER_OIDC_CLIENT_SECRET_FILE): {error}"
        ) from error
