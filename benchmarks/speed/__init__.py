"""Two revisions on this machine, turn by turn: which one is faster, and how sure that is."""
