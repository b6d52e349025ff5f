"""Y1: three contact laws at the hopper (Yee 2009, Figure 5): without memory a heap flows away like a liquid."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from barchan.draw.charts import draw_panels
from barchan.draw.files import save_figure
from barchan.simulation.progress import Progress
from barchan.studies import Picture, Row, Study, StudyResult
from barchan.studies.piles import NOTE, Heap, heap_under, panels, snapshot_picture
from barchan.studies.yee import LAWS, SIZE, Hopper

DRAG = 1.0  # kt of law 1, N s/m: the upper end of the paper's range
LOWER = 0.95  # law 1's heap is lower than this part of the heap of a law that holds
HOLDS = 0.01 * SIZE  # m/s: a heap that creeps by less than a hundredth of a grain a second stands
FINER = 4.0  # steps a quarter as long as usual: law 2 creeps in proportion to the step
LAW_NOTE = (
    "Law 1 has the paper's kt, 1 N s/m, with which it hardly hinders grains of 1.3 t. With Barchan's own default, by "
    "which 1 cm/s calls up the friction of a grain's weight, it creeps by less than 1 mm/s, and a heap of cubes "
    "outlasts any run of a minute."
)


def run(quick: bool, folder: Path, progress: Progress) -> StudyResult:
    """Run the hopper with each law."""
    base = Hopper(count=100, duration=8.0) if quick else Hopper(count=397, duration=25.0)
    heaps = {
        law: heap_under(
            replace(base, law=law, drag=DRAG if law == 1 else None),
            folder / f"law-{law}",
            progress,
            finer=1.0 if quick and law != 2 else FINER,
        )
        for law in LAWS
    }
    rows = [
        Row(
            f"law {law}: height / width at the end",
            "no pile" if law == 1 else "a pile",
            f"{heap.height:.2f} / {heap.width:.2f}",
            "m",
        )
        for law, heap in heaps.items()
    ]
    rows += [row for law in (2, 3) for row in _compared(law, heaps, quick)]
    named = {f"law {law}, {LAWS[law]}": heap for law, heap in heaps.items()}
    figure = save_figure(draw_panels(panels(named), columns=3), folder / "heaps.png")
    pictures = (Picture(figure, "Heaps under the hopper against time."), snapshot_picture(named, folder))
    return StudyResult(tuple(rows), pictures, (LAW_NOTE, NOTE))


def _compared(law: int, heaps: dict[int, Heap], quick: bool) -> list[Row]:
    """Law 1 against a law that holds."""
    lower, wider = heaps[1].height / heaps[law].height, heaps[1].width / heaps[law].width
    return [
        Row(
            f"height of law 1 over that of law {law}",
            "spreads like a liquid",
            f"{lower:.2f}",
            passed=lower < LOWER,
            criterion=f"< {LOWER:g}",
        ),
        Row(
            f"width of law 1 over that of law {law}",
            "spreads like a liquid",
            f"{wider:.2f}",
            passed=None if quick else wider > 1,
            criterion="" if quick else "> 1",
        ),
        Row(
            f"law {law}: creep at the end",
            "holds",
            f"{1e3 * heaps[law].creep:.3f}",
            "mm/s",
            passed=heaps[law].creep < HOLDS,
            criterion=f"< {1e3 * HOLDS:g} mm/s: a hundredth of a grain a second",
        ),
    ]


STUDY = Study(
    "Y1",
    "Without memory of slip a heap flows away; with it, it stands",
    "Fig. 5: 397 cube grains through a hopper on to a bare floor; law 1 spreads like a liquid, 2 and 3 hold a pile.",
    run,
    "100 grains for 8 s instead of 397 for 25 s; the width is not judged",
)
