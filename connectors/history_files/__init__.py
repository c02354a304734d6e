"""Changes as rows of a table, and their files."""
