"""A plugin for pytest: writes down the first test that fails, and by which exception, to the file $MUTANT_CATCH."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import barchan


def pytest_configure(config: pytest.Config) -> None:
    """Another copy of the package would make every mutant look harmless."""
    if not Path(barchan.__file__).is_relative_to(config.rootpath):
        raise pytest.UsageError(f"{barchan.__file__} is tested instead of the copy in {config.rootpath}")


def pytest_exception_interact(call: pytest.CallInfo[Any], report: pytest.TestReport | pytest.CollectReport) -> None:
    kinds = type(call.excinfo.value).__mro__ if call.excinfo else ()
    caught = {
        "test": report.nodeid,
        "when": getattr(report, "when", "collection"),
        "kinds": [f"{kind.__module__}.{kind.__qualname__}" for kind in kinds],
    }
    with Path(os.environ["MUTANT_CATCH"]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(caught) + "\n")
