"""Rules of a deployment for requests."""

from functools import lru_cache

from connectors.readers.selector_syntax import GRAMMARS
from schemas.records.views import ViewOptions
from streams.agents.match.register.requests import Rules
from streams.agents.match.register.view_checks import MAX_VIEW, view_faults
from streams.effects.connections import egress_policy
from streams.settings import Settings


def rules(settings: Settings) -> Rules:
    """Return the rules by which the register checks requests."""
    refusal = egress_policy(settings).url_refusal

    def found_faults(view: ViewOptions) -> tuple[str, ...]:
        return tuple(view_faults(GRAMMARS, view, settings.named_proxies))

    # Most ask for few views, the default one above all.
    known_faults = lru_cache(maxsize=256)(found_faults)

    def faults(view: ViewOptions) -> tuple[str, ...]:
        # Before it is refused, a request may have a view of 400 KB.
        return (known_faults if len(repr(view)) <= MAX_VIEW else found_faults)(view)

    return Rules(
        settings.min_interval,
        refusal,
        faults,
        settings.max_pages,
        # Rounded up: a small number is at least one page in each partition.
        -(-settings.max_pages_per_manager // settings.partitions),
    )
