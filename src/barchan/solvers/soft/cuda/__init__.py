"""The soft-sphere solver on a GPU."""
