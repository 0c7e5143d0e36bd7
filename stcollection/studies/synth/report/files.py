"""A report in a folder: wholly there or not at all, and never in the place of anything else."""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path

from stcollection.errors import BadArgument, StateError
from stcollection.studies.synth.report.html import html
from stcollection.studies.synth.report.markdown import MARK, markdown
from stcollection.studies.synth.report.parts import Report

_ENDINGS = {"figures": ".svg", "tables": ".csv"}
_FILES = ("report.md", "report.html")


def files_of(report: Report) -> dict[str, bytes]:
    """What a report is written as, by the path in its folder."""
    found = {"report.md": markdown(report).encode(), "report.html": html(report).encode()}
    for section in report.sections:
        found |= {
            f"tables/{section.name}-{table.name}.csv": table.as_csv(simulated=report.simulated).encode() for table in section.tables
        }
        found |= {f"figures/{section.name}-{figure.name}.svg": figure.svg for figure in section.figures}
    return found


def write_report(report: Report, out: Path, *, replace: bool = False) -> list[Path]:
    """Write a report into a folder, which is made; the files it wrote.

    They are written into a hidden folder beside it, which gets its name at the end, so no reader meets half a report. One that is
    replaced is put aside first, and taken away once the new one is there.

    :param replace: in the place of a report that is there.
    :raises BadArgument: it is a file, or holds what is not a report's. :raises StateError: there is a report already.
    """
    files = files_of(report)
    out = out.resolve()
    check_folder(out, replace=replace)
    part, old = (out.with_name(f".{out.name}.{what}-{secrets.token_hex(4)}") for what in ("part", "old"))
    try:
        part.mkdir(parents=True)
    except OSError as error:
        hint = "Name a folder where you may write."
        raise BadArgument(f"{out} cannot be made: {error.strerror}", hint=hint, sqlstate="IR202") from error
    try:
        for name, content in files.items():
            path = part / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        if replace and any_in(out):
            _swap(part, out, old)
        else:
            _take(part, out)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)
    return [out / name for name in files]


def check_folder(out: Path, *, replace: bool = False) -> None:
    """Whether a report may be written there; asked before the work as well.

    :raises BadArgument: it is a file, or holds what is not a report's. :raises StateError: there is a report already.
    """
    if not out.exists():
        return
    if not out.is_dir():
        raise BadArgument(f"{out} is a file", hint="--out names a folder, which is made.", sqlstate="IR202")
    foreign = _foreign(out)
    if foreign is not None:
        raise BadArgument(
            f"{out} holds {foreign!r}, which is not a report's", hint="Name a new folder, or an empty one.", sqlstate="IR202"
        )
    if any_in(out) and not replace:
        raise StateError(f"{out} holds a report", hint="--replace writes it anew; or name another folder.")


def any_in(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())


def _foreign(folder: Path) -> str | None:
    """The first thing that a report would not have written, by name."""
    for path in sorted(folder.iterdir()):
        if path.is_symlink():
            return path.name
        if path.name in _ENDINGS and path.is_dir():
            for inner in sorted(path.iterdir()):
                if inner.suffix != _ENDINGS[path.name] or not inner.is_file() or inner.is_symlink():
                    return f"{path.name}/{inner.name}"
        elif path.name not in _FILES or not path.is_file():
            return path.name
    if any_in(folder):
        try:
            with (folder / "report.md").open(encoding="utf-8") as file:
                ours = file.readline().rstrip("\n") == MARK
        except (FileNotFoundError, UnicodeDecodeError):
            ours = False
        if not ours:
            return sorted(path.name for path in folder.iterdir())[0]
    return None


def _take(part: Path, out: Path) -> None:
    try:
        part.rename(out)  # over an empty folder too
    except OSError as error:
        if not any_in(out):
            raise
        raise StateError(f"{out} was written meanwhile", hint="--replace writes it anew; or name another folder.") from error


def _swap(part: Path, out: Path, old: Path) -> None:
    out.rename(old)
    try:
        part.rename(out)
    except BaseException:
        os.rename(old, out)  # noqa: PTH104
        raise
