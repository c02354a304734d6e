"""HTTP servers which no client can hold up."""
