"""Bonded polygons: triangles joined by elastic, breakable beams (Pöschel & Buchholtz 1995)."""
