"""What a MongoDB URL names, told without its secrets."""

from dataclasses import dataclass
from typing import Any

from pymongo.errors import PyMongoError
from pymongo.uri_parser import parse_uri

from connectors.stores.base import StoreRefused

DATABASE = "vokter"

# A "yes" of the store must outlive the loss of a server, and a read must not
# show what such a loss takes back. The times (ms) let a stage say soon that it waits.
_DEFAULTS = {
    "w": "majority",
    "journal": True,
    "readConcernLevel": "majority",
    "wTimeoutMS": 10_000,
    "serverSelectionTimeoutMS": 5_000,
    "connectTimeoutMS": 5_000,
    "socketTimeoutMS": 20_000,
    "appname": "vokter",
}


@dataclass(frozen=True, slots=True)
class Address:
    """``place`` is hosts and database; ``options`` are those that the URL leaves open."""

    url: str
    place: str
    database: str
    options: dict[str, Any]


def parsed(url: str) -> Address:
    """Read a URL ``mongodb://…`` or ``mongodb+srv://…``; StoreRefused for one that is wrong."""
    try:
        found = parse_uri(url)
    except (PyMongoError, ValueError, TypeError) as error:
        # The driver's words quote the URL, which may hold a password.
        said = "name and password must be percent-encoded" if "@" in url else str(error)
        raise StoreRefused(f"Refused: VOKTER_STORE is not a MongoDB URL: {said}.") from None
    database = found["database"] or DATABASE
    hosts = found["fqdn"] or ",".join(_host(*node) for node in found["nodelist"])
    options = {name: value for name, value in _DEFAULTS.items() if name not in found["options"]}
    return Address(url, f"{hosts}/{database}", database, options)


def _host(name: str, port: int | None) -> str:
    host = f"[{name}]" if ":" in name else name
    return host if port is None else f"{host}:{port}"
