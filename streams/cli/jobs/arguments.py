"""Arguments that several commands have."""

from typing import Annotated

import typer

Words = Annotated[list[str], typer.Argument(help="Keywords to watch for; '*' for any change.")]
Url = Annotated[str, typer.Argument(help="The document to watch (http or https).")]
