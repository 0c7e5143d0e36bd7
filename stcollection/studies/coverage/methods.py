"""The methods of ``collection.coverage``. Each corresponds to a command."""

from __future__ import annotations

from stcollection.api.declared import called, framed
from stcollection.api.face import Frame, Stage
from stcollection.studies.coverage.store import drop_coverage, list_coverages, load_coverage


class Coverages(Stage[Frame]):
    """``collection.coverage``: stored topic coverages."""

    drop = called(drop_coverage)
    list = framed(list_coverages)
    show = called(load_coverage)
