"""Ready scenes: `run` and other verbs take their names."""
