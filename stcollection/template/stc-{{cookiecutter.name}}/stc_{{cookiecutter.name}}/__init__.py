"""Notes on queries."""

from stcollection.plugins import Study, StudyTable

STUDY = Study(
    name="{{cookiecutter.name}}",
    summary="Take notes on queries.",
    tables=(StudyTable(name="{{cookiecutter.name}}_notes", rows="notes"),),
    commands={"add": "commands:add"},
    python="methods:Notes",
    page="view:VIEW",
    routes="routes:router",
)
