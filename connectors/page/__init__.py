"""The web page of the API process at ``/``, see docs/how-to/use-the-page.md."""
