"""The servers and the database of a MongoDB URL, without its secrets."""

from dataclasses import dataclass
from typing import Any

from pymongo.errors import PyMongoError
from pymongo.uri_parser import parse_uri

from connectors.stores.errors import StoreRefused

DATABASE = "vokter"

# What the store has acknowledged must survive the loss of a server, and a read must not
# show what such a loss takes back. The timeouts (ms) let an agent soon report that it waits.
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
    """The location of the store.

    ``location`` names hosts and database; ``options`` are the options missing in the URL.
    """

    url: str
    location: str
    database: str
    options: dict[str, Any]


def parse_address(url: str) -> Address:
    """Parse a URL ``mongodb://…`` or ``mongodb+srv://…``; StoreRefused for a wrong one.

    Example:
        >>> parse_address("mongodb://me:secret@olympus/news").location
        'olympus:27017/news'
    """
    try:
        found = parse_uri(url)
    except (PyMongoError, ValueError, TypeError) as error:
        # The driver's message quotes the URL, which may contain a password.
        said = "name and password must be percent-encoded" if "@" in url else str(error)
        raise StoreRefused(f"Refused: VOKTER_STORE is not a MongoDB URL: {said}.") from None
    database = found["database"] or DATABASE
    nodes = [(f"[{name}]" if ":" in name else name, port) for name, port in found["nodelist"]]
    listed = ",".join(name if port is None else f"{name}:{port}" for name, port in nodes)
    hosts = found["fqdn"] or listed
    options = {name: value for name, value in _DEFAULTS.items() if name not in found["options"]}
    return Address(url, f"{hosts}/{database}", database, options)
