"""The hard-sphere solver's compiled loops."""
