"""Settings of fetching: politeness, limits, how pages are parsed, and rendering."""

from pydantic import BaseModel, Field


class FetchSettings(BaseModel):
    """Settings of fetching and parsing documents."""

    min_interval: int = Field(
        60, ge=1, description="Smallest interval of a subscription, in seconds."
    )
    max_pages: int = Field(
        10_000,
        ge=1,
        le=100_000,
        description="Pages that one subscription may cover with a crawl.",
    )
    max_pages_per_manager: int = Field(
        100_000,
        ge=1,
        description="Pages that all crawls of one manager may cover together, the same page once "
        "for each. Every partition has its share of them.",
    )
    max_failures: int = Field(
        10, ge=1, description="Failed fetches in a row after which a watch times out."
    )
    failure_backoff: float = Field(
        2,
        ge=1,
        le=10,
        description="Factor by which each failed fetch in a row lengthens the time to the next, "
        "up to a day. 1: not at all.",
    )
    contact: str | None = Field(
        None, description="URL or address in the User-Agent, for webmasters to reach you."
    )
    robots: str = Field(
        "obey",
        pattern="^(obey|ignore)$",
        description="Whether robots.txt is obeyed. Ignore it only on sites of your own.",
    )
    host_delay: float = Field(
        1,
        ge=0,
        le=3600,
        description="Seconds between two requests to one host. A longer crawl delay in its "
        "robots.txt counts instead, up to 30 seconds.",
    )
    visits_per_host: float | None = Field(
        None,
        gt=0,
        description="Visits an hour of the pages of one host with a `maxInterval`, which is kept "
        "to by visiting them less often, down to that. Default: any number.",
    )
    visits_in_all: float | None = Field(
        None, gt=0, description="The same for all hosts of the deployment together."
    )
    max_age: str = Field(
        "ignore",
        pattern="^(obey|ignore)$",
        description="Whether `Cache-Control: max-age` (up to a day) delays the next fetch of a "
        "document with a shorter interval.",
    )
    connect_timeout: float = Field(
        10, gt=0, description="Seconds that connecting to a document's server may take."
    )
    fetch_timeout: float = Field(
        30, gt=0, description="Seconds that one fetch may take in total, redirects included."
    )
    max_headers: int = Field(
        65_536,
        ge=1024,
        description="Largest size of a response's headers in bytes, interim responses included.",
    )
    max_download: int = Field(
        5_000_000,
        ge=1024,
        description="Largest size of a response in bytes as transferred, headers included.",
    )
    max_document: int = Field(
        10_000_000, ge=1024, description="Largest size of a document in bytes, decompressed."
    )
    parsers: int | None = Field(
        None,
        ge=1,
        description="Processes in which a fetch worker parses and compares pages. "
        "Default: the number of cores.",
    )
    parse_timeout: float = Field(
        5, gt=0, description="CPU seconds after which a process that parses one page is killed."
    )


class RenderSettings(BaseModel):
    """Settings of rendering documents that need scripts."""

    browser: str | None = Field(
        None,
        description="Path of the Chromium that [renders pages](how-to/pages-that-need-scripts.md), "
        "or the DevTools URL (`ws://…`, `http://…`) of one that runs elsewhere. Default: the one "
        "that is found on the machine.",
    )
    renderers: int = Field(
        2, ge=1, description="Pages that a render worker renders at a time, each in a browser."
    )
    render_timeout: float = Field(
        60, gt=0, description="Seconds after which a page that is being rendered is given up."
    )
    render_memory: int = Field(
        1500,
        ge=300,
        description="Largest memory of one browser in MB; the page that needs more is given up.",
    )
