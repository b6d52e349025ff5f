"""The combinations of kernels that `make test` may compile: each takes some 10 to 20 seconds of a processor.

Law, and law of walls where it is another one; own functions; switches. Physics of laws belongs into plain Python
(`solvers/plain.py`). Where a test wants a combination that is not here, give its scene the switches of one that is: a
spare material that rolls brings MATERIALS and ROLLING, a mesh that never appears MESHES, a wide box PERIODIC. Tests
marked `validate` may bind what they like.
"""

from __future__ import annotations

SOFT = (
    "soft hertz",  # scenes as users write them
    "soft hertz PERIODIC",
    "soft hertz CLUMPS MATERIALS ROLLING",  # solvers/lab.py
    "soft hertz CLUMPS MATERIALS MESHES PERIODIC REPEATED ROLLING SERVOS",  # lab.walled
    "soft hertz ADAPTIVE CLUMPS MATERIALS ROLLING",
    "soft linear CLUMPS MATERIALS ROLLING",
    "soft linear ADAPTIVE CLUMPS MATERIALS ROLLING",
    "soft linear DEFORMS PERIODIC",
    "soft displacement CLUMPS MATERIALS PERIODIC ROLLING STICTION",  # lab.kitchen
    "soft stick-slip BRANCH",  # the scene `conveyor`
    "soft viscous CLUMPS MATERIALS ROLLING",
    "soft own-law",
)
RELAX = ("relax harmonic FLAT", "relax harmonic WALLS", "relax hertz WALLS")
HARD = ("hard",)
BEAMS = ("beams",)
KNOWN = frozenset(SOFT + RELAX + HARD + BEAMS)

# Test files that share kernels run on one worker, one after another: two would compile the same at the same time. Of a
# file that takes several methods each case, `file[case]`, goes to its own.
GROUPS = {
    "laboratory": (
        "test_conservation", "test_friction", "test_restitution", "test_changes", "test_ledger", "test_rotation",
        "test_tethers", "test_observables", "test_timestep", "test_convergence", "test_lists", "test_rest",
        "test_volume", "test_contacts", "test_images", "test_turned_over", "test_thin_walls", "test_base", "test_frame",
    ),
    "walls": ("test_meshes", "test_seams", "test_servos", "test_arc"),
    "adaptive": ("test_runge_kutta",),
    "plain": (
        "test_cli", "test_look", "test_measure", "test_measured", "test_own_parts", "test_own_events",
        "test_own_region", "test_own_fill", "test_run", "test_story", "test_viewer", "test_kill",
    ),
    "periodic": (
        "test_same_bits", "test_cuda", "test_periodic", "test_single_spheres", "test_cost", "test_measured[through]",
        "test_unwrapped",
    ),
    "deforming": ("test_deforming_box",),
    "belt": ("test_stick_slip",),
    "viscous": ("test_jacobian", "test_prepare"),
    "relax": (
        "test_relax", "test_relax_weight", "test_relax_factor", "test_relax_runs", "test_relax_energy",
        "test_own_deformation", "test_measured[sheared]", "test_frame[relax]", "test_relax_images",
    ),
    "hard": (
        "test_hard_collisions", "test_hard_gas", "test_hard_leapfrog", "test_hard_moving", "test_hard_periodic",
        "test_hard_rest", "test_hard_run", "test_newton", "test_hard_sticky", "test_hard_walls",
        "test_hard_restitution", "test_measured[marbles]", "test_frame[hard]", "test_unwrapped[hard]",
        "test_unwrapped[leapfrog]",
    ),
    "audit": ("test_audit", "test_coverage", "test_exports"),
    "beams": (
        "test_beams", "test_beams_absorbing", "test_beams_books", "test_beams_friction", "test_beams_laws",
        "test_beams_limits", "test_beams_periodic", "test_beams_runs", "test_beams_servos", "test_beams_sources",
        "test_beams_strips", "test_drums", "test_polygon_mesh", "test_measured[squares]", "test_frame[beams]",
        "test_unwrapped[beams]",
    ),
}  # fmt: skip
GROUP_OF = {file: group for group, files in GROUPS.items() for file in files}

assert len(SOFT) <= 12 and len(RELAX) <= 4 and len(HARD) == len(BEAMS) == 1
