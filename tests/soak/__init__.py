"""The same work again and again, for hours: memory, handles and speed must stay as they are."""
