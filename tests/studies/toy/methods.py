"""The methods of the toy study."""

from __future__ import annotations

from stcollection.api.declared import called
from stcollection.api.face import Frame, Stage
from tests.studies.toy.store import count_notes


class Toys(Stage[Frame]):
    """``collection.toy``: notes."""

    count = called(count_notes)
