"""The soft-sphere solver's compiled loops."""
