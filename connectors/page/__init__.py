"""The web page that the API process serves at ``/``, as docs/how-to/use-the-page.md shows it."""
