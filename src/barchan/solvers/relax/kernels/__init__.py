"""The compiled loops of energy minimisation."""
