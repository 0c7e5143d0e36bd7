"""``stc qrels``."""

from __future__ import annotations

import click

from stcollection.cli.folder import Folder

_MODULES = {
    "agreement": ("agreement",),
    "effects": ("correct", "impact"),
    "editions": ("describe", "diff", "editions"),
    "imports": ("import", "import-preferences", "import-subtopics"),
    "making": ("derive", "expand", "export"),
    "publishing": ("allow", "check", "hide", "release", "seal", "verify"),
    "sources": ("drop", "files"),
}


@click.group("qrels", cls=Folder, shared={name: module for module, names in _MODULES.items() for name in names})
def command() -> None:
    """Manage judgments, grouped in editions. Judgments are added, never changed."""
