"""Reads a number, such as a price, from the text of a page."""
