"""The driver's errors as the store's."""

from collections.abc import Iterator
from contextlib import contextmanager

from pymongo.errors import (
    ConfigurationError,
    InvalidName,
    OperationFailure,
    PyMongoError,
    ServerSelectionTimeoutError,
)

from connectors.stores.errors import StoreRefused, StoreUnavailable

# https://www.mongodb.com/docs/manual/reference/error-codes/
_UNAUTHORIZED, _AUTHENTICATION_FAILED, _TOO_OLD = 13, 18, 20


@contextmanager
def translating(location: str) -> Iterator[None]:
    """Raise the driver's errors in the block as StoreUnavailable.

    Final errors too: a refused login or a full disk is fixed on the server, while the agents wait.
    """
    try:
        yield
    except PyMongoError as error:
        raise StoreUnavailable(f"the MongoDB store {location}: {_text(error)}") from error


@contextmanager
def opening(location: str) -> Iterator[None]:
    """The same at a start, where a person's mistake is StoreRefused."""
    with translating(location):
        try:
            yield
        except ServerSelectionTimeoutError as error:
            said = f"No MongoDB server answers at {location}: {_text(error)}"
            raise StoreUnavailable(said) from error
        except OperationFailure as error:
            if error.code not in {_UNAUTHORIZED, _AUTHENTICATION_FAILED, _TOO_OLD}:
                raise
            raise StoreRefused(
                f"Refused by the MongoDB server at {location}: {error.details or error}. Check "
                "name, password and authSource in VOKTER_STORE, and that they may read and write "
                "there."
            ) from error
        except (ConfigurationError, InvalidName) as error:
            raise StoreRefused(f"Refused: the MongoDB store {location}: {_text(error)}") from error


def _text(error: PyMongoError) -> str:
    """The driver's message, without its view of all the servers."""
    return str(error).partition(", Timeout: ")[0]
