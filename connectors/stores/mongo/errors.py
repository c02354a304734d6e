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

from connectors.stores.base import StoreRefused, StoreUnavailable

# https://www.mongodb.com/docs/manual/reference/error-codes/
_UNAUTHORIZED, _AUTHENTICATION_FAILED, _TOO_OLD = 13, 18, 20


@contextmanager
def translating(place: str) -> Iterator[None]:
    """Let the driver's errors leave the block as StoreUnavailable.

    Also those that look final: a refused login or a full disk is mended on the
    server, while the stages wait.
    """
    try:
        yield
    except PyMongoError as error:
        raise StoreUnavailable(f"the MongoDB store {place}: {_said(error)}") from error


@contextmanager
def opening(place: str) -> Iterator[None]:
    """The same for a start, where what a person must mend is StoreRefused."""
    try:
        yield
    except ServerSelectionTimeoutError as error:
        raise StoreUnavailable(f"No MongoDB server answers at {place}: {_said(error)}") from error
    except OperationFailure as error:
        if error.code in {_UNAUTHORIZED, _AUTHENTICATION_FAILED, _TOO_OLD}:
            raise StoreRefused(
                f"Refused by the MongoDB server at {place}: {error.details or error}. Check name, "
                "password and authSource in VOKTER_STORE, and that they may read and write there."
            ) from error
        raise StoreUnavailable(f"the MongoDB store {place}: {_said(error)}") from error
    except (ConfigurationError, InvalidName) as error:
        raise StoreRefused(f"Refused: the MongoDB store {place}: {_said(error)}") from error
    except PyMongoError as error:
        raise StoreUnavailable(f"the MongoDB store {place}: {_said(error)}") from error


def _said(error: PyMongoError) -> str:
    """The driver's words without its whole view of the servers, which follows them."""
    return str(error).partition(", Timeout: ")[0]
