"""The hard-sphere solver: collisions predicted exactly (Richardson 2011)."""
