"""Settings of rendering: the browser, and its limits."""

from pydantic import BaseModel, Field


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
