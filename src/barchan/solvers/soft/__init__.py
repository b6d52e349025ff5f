"""The soft-sphere solver: grains of spheres that overlap a little and push each other apart (Yee 2009)."""
