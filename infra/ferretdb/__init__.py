"""FerretDB: what speaks MongoDB's protocol in tests where there is no MongoDB."""
