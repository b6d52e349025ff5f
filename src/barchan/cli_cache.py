"""The verb of the command line that looks after the cache."""

from __future__ import annotations

from typing import Annotated

import typer

from barchan.errors import FileError, Finding


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove all that is in it; runs go on undisturbed.")] = False,
) -> None:
    """Say where compiled kernels are kept, and how large they are."""
    from barchan import caches
    from barchan.simulation.summary import table

    limit = caches.size_limit()
    found = caches.packages()
    size = f"{sum(one.size for one in found) / 1e6:.1f} MB in {len(found)} packages"
    if clear:
        caches.clear()
        names = {one.folder for one in found} & {one.folder for one in caches.packages()}
        if names:
            what, expected = f"{len(names)} packages could not be removed", "a folder that may be written"
            raise FileError(Finding(str(caches.cache_folder()), what, expected, "check its rights"))
        typer.echo(f"{caches.cache_folder()}: removed {size}; the next run of each kind of scene compiles its kernels")
        return
    typer.echo(table([
        ("folder", str(caches.cache_folder())), ("kernels", size),
        ("limit", f"{limit / 1e6:g} MB; the environment variable {caches.LIMIT} sets another"),
    ]))  # fmt: skip
