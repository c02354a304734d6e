"""HTTP servers that no client can hold up."""
