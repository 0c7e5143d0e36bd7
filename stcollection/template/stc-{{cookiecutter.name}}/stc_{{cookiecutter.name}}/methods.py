"""The methods of a collection."""

from __future__ import annotations

from stcollection.api.declared import called, framed
from stcollection.api.face import Frame, Stage

from .store import add_note, list_notes


class Notes(Stage[Frame]):
    """``collection.{{cookiecutter.name}}``: notes on queries."""

    add = called(add_note)
    list = framed(list_notes)
