"""The compiled loops of triangles and beams."""
