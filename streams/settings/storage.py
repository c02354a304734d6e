"""Settings of what is stored: where, how much, and for how long."""

from pathlib import Path

from platformdirs import user_data_path
from pydantic import BaseModel, Field

DAY = 24 * 3600


class StorageSettings(BaseModel):
    """The data folder, the store, and how long topics and snapshots are kept."""

    data_dir: Path = Field(
        default_factory=lambda: user_data_path("vokter"),
        description="Data folder: local broker, SQLite store, local state of the workers, logs.",
    )
    store: str | None = Field(
        None,
        description="Store of snapshots and listings: `sqlite:PATH` or "
        "`mongodb://HOST/DATABASE`. Default: SQLite in the data folder.",
    )
    retention: float = Field(
        7, gt=0, description="Days that topics and histories are kept; may be a fraction."
    )
    history_days: float = Field(
        7,
        ge=0,
        description="Days that a snapshot is kept after a newer one has replaced it; may "
        "be a fraction. 0: none is kept.",
    )
    history_count: int = Field(
        10, ge=0, description="Replaced snapshots kept per document. 0: none is kept."
    )

    keep_bodies: int = Field(
        0,
        ge=0,
        le=2_000_000,
        description="Bytes, compressed, up to which the body of a page is kept with each "
        "snapshot, to be read again by other readers. 0: none is kept.",
    )

    bodies: str | None = Field(
        None,
        description="Object store of bodies and pictures: `s3://BUCKET/PREFIX` or "
        "`file:///FOLDER`. Default: they are in the store.",
    )

    @property
    def store_url(self) -> str:
        """The store's URL, with its default."""
        return self.store or f"sqlite:{self.data_dir / 'vokter.db'}"

    @property
    def store_file(self) -> Path | None:
        """The file of an SQLite store, None for another store."""
        scheme, _, path = self.store_url.partition(":")
        return Path(path).expanduser() if scheme == "sqlite" else None

    @property
    def metrics_folder(self) -> Path:
        """The folder in which each process notes the address of its metrics."""
        return self.data_dir / "metrics"

    @property
    def local_broker(self) -> Path:
        """The folder of the local broker."""
        return self.data_dir / "kafka"

    @property
    def retention_ms(self) -> int:
        """The retention in milliseconds."""
        return int(self.retention * DAY * 1000)

    @property
    def history_snapshots(self) -> int:
        """The number of replaced snapshots that are kept per document."""
        return self.history_count if self.history_days else 0

    @property
    def history_ms(self) -> int:
        """The milliseconds that a replaced snapshot is kept."""
        return int(self.history_days * DAY * 1000) if self.history_count else 0
