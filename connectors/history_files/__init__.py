"""Changes as rows of a table, and the files that they are written to."""
