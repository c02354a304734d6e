"""Texts about the stock of a product."""

IN_STOCK, OUT_OF_STOCK = "In stock", "Out of stock"
IN_STORE, PRE_ORDER, BACK_ORDER = "In store only", "Pre-order", "On back order"
TO_ORDER, DISCONTINUED = "Made to order", "Discontinued"
STOCKS = (IN_STOCK, IN_STORE, PRE_ORDER, BACK_ORDER, TO_ORDER, OUT_OF_STOCK, DISCONTINUED)
"""All of them, in the order in which something is easy to get."""
