"""Find and run pg_dump and pg_restore, and convert their errors."""

from __future__ import annotations

import contextlib
import mmap
import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import pq
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from stcollection.db.embedded import binaries
from stcollection.db.sessions import pinned
from stcollection.errors import BadInput, ProgramFailed, StateError, StcError

Progress = Callable[[int, int | None], None]

# Untranslated messages of the programs under --verbose when a piece of work is done.
_DONE = re.compile(r"finished item|dumping contents of table|processing data for table|creating (?!SCHEMA)")
# Workers write concurrently, so a line may begin with part of another.
_ERROR = re.compile(r"pg_\w+: (?:error|fatal|detail): (.*)")


def find(name: str, *, server: int) -> str:
    """Return the path of a client program that is not older than the server.

    Search order: the embedded server's programs, PATH, Debian's folders, newest version first.


    :param name: pg_dump or pg_restore. :param server: major version of the server.
    :raises StateError: no program was found, or all are older.
    """
    seen = []
    for path in _candidates(name):
        version = major(path)
        if version is not None and version >= server:
            return path
        seen.append(f"{path} is version {version}" if version else f"{path} does not run")
    if not seen:
        hint = f"Install PostgreSQL's client programs {server} (Debian: postgresql-client-{server})."
        raise StateError(f"there is no {name}", hint=hint)
    raise StateError(
        f"{name} is older than the server, which is PostgreSQL {server}: {', '.join(seen)}",
        hint=f"Install PostgreSQL's client programs {server} and put them first in PATH.",
    )


def _candidates(name: str) -> Iterator[str]:
    try:
        own = binaries() / name
        if own.exists():
            yield str(own)
    except StcError:
        pass
    program = shutil.which(name)
    if program:
        yield program
    yield from sorted(map(str, Path("/usr/lib/postgresql").glob(f"*/bin/{name}")), key=lambda path: -int(Path(path).parts[4]))


def major(path: str) -> int | None:
    """Return the major version that a program reports; None if it does not run."""
    try:
        reported = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    match = re.search(r"\(PostgreSQL\) (\d+)", reported)
    return int(match[1]) if match else None


def environment(conninfo: str) -> tuple[dict[str, str], str]:
    """Return how a program connects to the server: by its environment, because other users can read process arguments.

    The program has the settings of our sessions, such as array_nulls, which no dump sets.

    :returns: the environment, and a connection string with only the database, so that its name is not parsed.
    """
    options = conninfo_to_dict(pinned(conninfo))
    variables = {option.keyword.decode(): option.envvar.decode() for option in pq.Conninfo.get_defaults() if option.envvar}
    ours = {variables[name]: str(value) for name, value in options.items() if name in variables and value is not None}
    return {**os.environ, **ours, "LC_ALL": "C", "PGAPPNAME": "stc"}, make_conninfo("", dbname=str(options.get("dbname")))


def run(
    command: Sequence[str],
    *,
    conninfo: str,
    total: int | None = None,
    progress: Progress | None = None,
    meanwhile: Callable[[], None] | None = None,
    keep: Sequence[int] = (),
) -> None:
    """Run pg_dump or pg_restore; end it on an interruption.

    :param total: pieces of work, for ``progress``. :param meanwhile: called while it runs; an error ends the program.
    :param keep: open files that the program inherits.
    :raises DatabaseError: the program failed; the message has its error.
    """
    env, dbname = environment(conninfo)
    process = subprocess.Popen(
        [*command, "--verbose", f"--dbname={dbname}"],
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        pass_fds=tuple(keep),
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    errors: list[str] = []
    reader = threading.Thread(target=_listen, args=(process, errors, total, progress), daemon=True)
    try:
        reader.start()
        if meanwhile is not None:
            meanwhile()
        code = process.wait()
        reader.join()
    except BaseException:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        raise
    if code != 0:
        name = Path(command[0]).name
        raise failure(name, errors or [f"it exited with code {code}"])


def _listen(process: subprocess.Popen[str], errors: list[str], total: int | None, progress: Progress | None) -> None:
    """Read the output of a program until it ends."""
    assert process.stderr is not None  # noqa: S101
    restored = 0
    last: deque[str] = deque(maxlen=3)
    for line in process.stderr:
        last.append(line.strip())
        if _DONE.search(line):
            restored += 1
            if progress is not None:
                progress(min(restored, total or restored), total)
        error = _ERROR.search(line)
        if error and len(errors) < 20:
            errors.append(error[1].strip())
    if not errors:
        errors += last


@dataclass(frozen=True)
class ArchiveEntry:
    """A line of an archive's table of contents. :param name: with its table, such as ``dblp dblp_pkey``."""

    line: str
    kind: str
    schema: str
    name: str


# id; class oid KIND schema name owner. The kind is in capitals; the schema is - if there is none.
_ENTRY = re.compile(r"\d+; \d+ \d+ ([A-Z][A-Z ]*[A-Z]) (-|\S+) (.*)")


def contents(program: str, archive: Path) -> list[ArchiveEntry]:
    """Return the table of contents of an archive, read as text. :raises ProgramFailed: pg_restore cannot read it."""
    listed = subprocess.run(
        [program, "--list", str(archive)], capture_output=True, text=True, encoding="utf-8", errors="replace", check=False
    )
    if listed.returncode != 0:
        raise failure("pg_restore", listed.stderr.splitlines() or ["it cannot read the dump"])
    entries = []
    for line in listed.stdout.splitlines():
        if line and not line.startswith(";"):
            match = _ENTRY.fullmatch(line)
            name = match[3].rsplit(" ", 1)[0] if match else line
            entries.append(ArchiveEntry(line, match[1] if match else "", match[2] if match else "", name))
    return entries


def script(program: str, archive: Path, entries: Sequence[ArchiveEntry]) -> str:
    """Return the statements of entries, which are only read. :raises ProgramFailed: pg_restore cannot read them."""
    with chosen(entries) as listed:
        command = [program, f"--use-list={listed}", "--no-owner", "--no-privileges", "--file=-", str(archive)]
        printed = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", errors="replace", check=False)
    if printed.returncode != 0:
        raise failure("pg_restore", printed.stderr.splitlines() or ["it cannot read the dump"])
    return printed.stdout


# In toc.dat, four bytes with the length precede each text. File names are relative to the archive.
_FOUR_BYTES = re.compile(rb"PGDMP...\x04", re.DOTALL)
_UPWARDS = re.compile(rb"\0[./]*\.\./")
# Files with the data of large objects are named in another file.
_LARGE_OBJECTS = re.compile(rb"\0BLOBS[\0\x01]")


def check_archive(folder: Path, archive: str, named: Container[str]) -> None:
    """Check that pg_restore would read only files of the dump; it follows links and paths in the archive.

    :param folder: folder of the dump. :param archive: path of the archive in it. :param named: verified files of the dump.
    :raises BadInput: it would read other files, or the archive has another format.
    """
    for path in sorted((folder / archive).iterdir()) if (folder / archive).is_dir() else []:
        name = f"{archive}/{path.name}"
        if name not in named or path.is_symlink() or not path.is_file():
            raise BadInput(f"{name} is in the folder, but the manifest does not list it as a file", hint=_DISTRUST)
    if f"{archive}/toc.dat" not in named:
        raise BadInput(f"the dump lacks the file {archive}/toc.dat", hint=_DISTRUST)
    with (folder / archive / "toc.dat").open("rb") as file:
        if _FOUR_BYTES.match(file.read(16)) is None:
            raise BadInput(f"{archive}/toc.dat is not in the format of pg_dump", hint=_DISTRUST)
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            if _UPWARDS.search(content):
                raise BadInput(f"{archive}/toc.dat names a file outside the dump", hint=_DISTRUST)
            if _LARGE_OBJECTS.search(content):
                raise BadInput(f"{archive}/toc.dat has large objects, which belong to no schema", hint=_DISTRUST)


_DISTRUST = "Do not trust this dump."


@contextlib.contextmanager
def chosen(entries: Sequence[ArchiveEntry]) -> Iterator[str]:
    """Yield the name of a temporary file for ``pg_restore --use-list``."""
    with tempfile.NamedTemporaryFile("w", suffix=".list", encoding="utf-8") as file:
        file.write("".join(f"{entry.line}\n" for entry in entries))
        file.flush()
        yield file.name


def failure(name: str, errors: Sequence[str]) -> StcError:
    """Return the error for a failed program, with the first lines of its output."""
    reason = " ".join(errors[:2])
    hint = "Its output is not used. Run the same command again."
    if any("No space left" in line or "could not extend file" in line for line in errors):
        hint = "Free some disk space, then run the same command again."
    return ProgramFailed(f"{name} failed: {reason}", hint=hint)


def server_version(conn: psycopg.Connection) -> str:
    """Return the version of the server, such as ``18.6``."""
    version = conn.info.server_version
    return f"{version // 10000}.{version % 10000}"
