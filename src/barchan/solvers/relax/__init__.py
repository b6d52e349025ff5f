"""Jammed packings and quasi-static shear by energy minimisation (Krijgsman & Luding 2016)."""
