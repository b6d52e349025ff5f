"""The soft-sphere solver's kernels for a GPU."""
