"""Write a report to a folder: either completely or not at all, and never over other files."""

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
    """Return the files of a report, by path in its folder."""
    files = {"report.md": markdown(report).encode(), "report.html": html(report).encode()}
    for section in report.sections:
        files |= {
            f"tables/{section.name}-{table.name}.csv": table.as_csv(simulated=report.simulated).encode() for table in section.tables
        }
        files |= {f"figures/{section.name}-{figure.name}.svg": figure.svg for figure in section.figures}
    return files


def write_report(report: Report, out: Path, *, replace: bool = False) -> list[Path]:
    """Write a report to a folder, which is created; return the files written.

    The files are written to a hidden folder next to it, which is renamed at the end, so readers never see half a report. A report
    to be replaced is moved aside first, and deleted once the new one is in place.

    :param replace: replace an existing report.
    :raises BadArgument: the path is a file, or the folder contains other files.
    :raises StateError: there is a report already.
    """
    files = files_of(report)
    out = out.resolve()
    check_folder(out, replace=replace)
    part, old = (out.with_name(f".{out.name}.{what}-{secrets.token_hex(4)}") for what in ("part", "old"))
    try:
        part.mkdir(parents=True)
    except OSError as error:
        hint = "Name a folder that you may write to."
        raise BadArgument(f"{out} cannot be created: {error.strerror}", hint=hint) from error
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
    """Check that a report may be written to a folder; also called before the work starts.

    :raises BadArgument: the path is a file, or the folder contains other files.
    :raises StateError: there is a report already.
    """
    if not out.exists():
        return
    if not out.is_dir():
        raise BadArgument(f"{out} is a file", hint="Name a folder with --out; it is created if needed.")
    foreign = _foreign(out)
    if foreign is not None:
        raise BadArgument(f"{out} contains {foreign!r}, which is not part of a report", hint="Name a new folder, or an empty one.")
    if any_in(out) and not replace:
        raise StateError(f"{out} already contains a report", hint="Replace it with --replace, or name another folder.")


def any_in(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())


def _foreign(folder: Path) -> str | None:
    """Return the first entry, by name, that is not part of a report."""
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
        part.rename(out)  # also replaces an empty folder
    except OSError as error:
        if not any_in(out):
            raise
        raise StateError(
            f"{out} was written by another process", hint="Replace it with --replace, or name another folder."
        ) from error


def _swap(part: Path, out: Path, old: Path) -> None:
    out.rename(old)
    try:
        part.rename(out)
    except BaseException:
        os.rename(old, out)  # noqa: PTH104
        raise
