"""A study of another package: a note about each query."""

from stcollection.plugins import Study, StudyTable, closed

STUDY = Study(
    name="toy",
    summary="Take notes about queries.",
    tables=(StudyTable(name="toy_notes", rows="notes"), *closed("toy_secrets")),
    commands={"count": "commands:count"},
    python="methods:Toys",
    routes="routes:router",
    tools="tools:tools",
)
