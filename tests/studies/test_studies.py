"""The quick form of every study: it runs, every verdict passes, and its figures are there."""

from __future__ import annotations

import pytest

from barchan import studies
from barchan.simulation.progress import Silent
from samples import drawn

STUDIES = studies.studies()


@pytest.mark.validate
@pytest.mark.parametrize("key", STUDIES)
def test_quick_form(key, tmp_path):
    study = STUDIES[key]
    result = studies.reproduce(study, tmp_path, Silent(), quick=True)
    assert result.rows
    assert [row for row in result.rows if row.passed is False] == []
    assert result.passed
    assert result.figures
    for figure in result.figures:
        assert drawn(figure.path)
        assert figure.caption


def test_studies_say_what_they_are():
    assert list(STUDIES) == sorted(STUDIES, key=lambda key: (key[0], int(key[1:])))
    for key, study in STUDIES.items():
        assert study.id == key
        assert study.title and study.paper and study.quick_means
