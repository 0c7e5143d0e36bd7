"""A temporary Docker engine with separate folders, network, mounts and processes, which leaves nothing behind.

It needs root and Debian's docker.io, mmdebstrap and iptables, which are installed with apt if possible. To run containers, the
engine uses a separate network namespace with its own bridge and iptables rules. The machine's network stays unchanged, and
containers cannot reach other networks. Images are therefore built by an engine in the machine's network, without a bridge, and
run by a second engine on the same data.
"""

from __future__ import annotations

import contextlib
import hashlib
import lzma
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = {
    "dockerd": "docker.io",
    "/usr/bin/docker": "docker.io",
    "containerd": "containerd",
    "mmdebstrap": "mmdebstrap",
    "iptables": "iptables",
    "ip": "iproute2",
}
# The client of Debian's docker.io: newer clients need a plugin to build images.
_CLIENT = "/usr/bin/docker"
_START_SECONDS = 60
# Excluded paths, as in Debian's slim images.
_SLIM = [f"path-exclude=/usr/share/{one}/*" for one in ("doc", "man", "locale", "info", "lintian")]
_SLIM.append("path-include=/usr/share/doc/*/copyright")
_APT_HELPER = "/usr/lib/apt/apt-helper"
_TARGET = "$(REPO_URI) $(LABEL)"  # output format of apt-get indextargets
# pip settings copied into the base image.
_PIP = ("index-url", "extra-index-url", "trusted-host", "timeout", "default-timeout", "proxy")


class NotHere(Exception):
    """No engine can run on this machine, for a reason outside this project."""


def run(*command: str | Path, env: Mapping[str, str] | None = None, **options: object) -> str:
    """Run a command and return its output. :raises subprocess.CalledProcessError: it failed; ``output`` has its output."""
    done = subprocess.run(  # type: ignore[call-overload]
        [str(one) for one in command],
        env={**os.environ, **(env or {})},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        **options,
    )
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, [str(one) for one in command], output=done.stdout)
    return str(done.stdout)


def install() -> None:
    """Install missing programs that an engine needs. :raises NotHere: they cannot be installed."""
    if os.geteuid() != 0:
        raise NotHere("a temporary engine needs root")
    missing = sorted({package for program, package in PROGRAMS.items() if shutil.which(program) is None})
    if not missing:
        return
    if (
        shutil.which("apt-get") is None or Path("/run/systemd/system").exists()
    ):  # with systemd, installing docker.io would start the machine's engine
        raise NotHere(f"these packages are not installed: {', '.join(missing)}")
    print(f"installing {', '.join(missing)}", flush=True)
    env = {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        run("apt-get", "-qq", "update", env=env)
        run("apt-get", "-qq", "install", "--yes", "--no-install-recommends", *missing, env=env)
    except subprocess.CalledProcessError as error:
        raise NotHere(f"apt-get could not install {', '.join(missing)}") from error


def traces(folder: Path) -> list[str]:
    """Return what is left of an engine: processes and mounts that refer to its folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if str(folder).encode() in (process / "cmdline").read_bytes() and int(process.name) != os.getpid():
                found.append(f"process {process.name}")
    mounts = Path("/proc/self/mountinfo").read_text().splitlines()
    return found + [f"mount {line.split()[4]}" for line in mounts if str(folder) in line]


def surroundings() -> dict[str, str]:
    """Return the machine's network configuration, which an engine must not change."""
    rules = run("iptables", "-w", "-S") + run("iptables", "-w", "-t", "nat", "-S")
    return {"rules of iptables": rules, "interfaces": run("ip", "-brief", "link"), "routes": run("ip", "route")}


@dataclass
class Engine:
    """A temporary Docker engine. :param folder: for all its files, which are kept between starts until :meth:`remove`."""

    folder: Path
    process: subprocess.Popen[bytes] | None = None
    own_network: bool = False

    @property
    def env(self) -> dict[str, str]:
        return {
            "DOCKER_HOST": f"unix://{self.folder}/docker.sock",
            "DOCKER_CONFIG": str(self.folder / "config"),
            "DOCKER_BUILDKIT": "1",
            "COMPOSE_PROGRESS": "plain",
        }

    @contextlib.contextmanager
    def started(self, *, own_network: bool) -> Iterator[None]:
        """Run the engine. :param own_network: True: in a separate network with a bridge, to run containers; False: to build images.

        :raises NotHere: the engine does not start.
        """
        command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", *(["--net"] if own_network else [])]
        options = [] if own_network else ["--bridge=none", "--iptables=false"]
        script = 'ip link set lo up && exec dockerd "$@"' if own_network else 'exec dockerd "$@"'
        where = self.folder
        log = where / "engine.log"
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [
                    *command,
                    "sh",
                    "-c",
                    script,
                    "dockerd",
                    "--data-root",
                    str(where / "data"),
                    "--exec-root",
                    str(where / "exec"),
                    "--host",
                    self.env["DOCKER_HOST"],
                    "--pidfile",
                    str(where / "pid"),
                    "--storage-driver",
                    "overlay2",
                    *options,
                ],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self.own_network = own_network
        try:
            self._wait(log)
            yield
        finally:
            self._stop()

    def _wait(self, log: Path) -> None:
        assert self.process is not None  # noqa: S101
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            if not subprocess.run(
                [_CLIENT, "version"], env={**os.environ, **self.env}, capture_output=True, check=False
            ).returncode:
                return
            time.sleep(0.3)
        words = log.read_text(errors="replace").strip().splitlines()
        raise NotHere(f"dockerd does not start: {words[-1] if words else 'it left no log'}")

    def _stop(self) -> None:
        """Stop the engine. Its process namespace ends with it, so no process can survive."""
        process, self.process = self.process, None
        if process is None:
            return
        inner = self.inner(process)
        if inner is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(inner, signal.SIGTERM)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()  # --kill-child also kills the engine
            process.wait()
        (self.folder / "pid").unlink(missing_ok=True)

    @staticmethod
    def inner(process: subprocess.Popen[bytes]) -> int | None:
        """Return the id of the engine's process, outside its namespace."""
        with contextlib.suppress(OSError):
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            return int(children[0]) if children else None
        return None

    def inside(self) -> list[str]:
        """Return a command prefix for running a command in the engine's network namespace."""
        assert self.process is not None  # noqa: S101
        return ["nsenter", "--target", str(self.inner(self.process)), "--net"] if self.own_network else []

    def docker(self, *arguments: str | Path, env: Mapping[str, str] | None = None, **options: object) -> str:
        return run(_CLIENT, *arguments, env={**self.env, **(env or {})}, **options)

    def remove(self) -> None:
        """Delete all files of the engine. :raises RuntimeError: processes or mounts are left."""
        for child in ("data", "exec"):
            shutil.rmtree(self.folder / child, ignore_errors=True)
        shutil.rmtree(self.folder)
        left = traces(self.folder)
        if left:
            raise RuntimeError(f"the engine left {', '.join(left)}")

    # -- compose and the base image

    def compose(self) -> None:
        """Install the compose plugin of Debian trixie in the engine's configuration, unless it is already there."""
        plugin = self.folder / "config" / "cli-plugins" / "docker-compose"
        if plugin.exists():
            return
        plugin.parent.mkdir(parents=True)
        here = mirror()
        listed = self.folder / "Packages.xz"
        fetch(f"{here}/dists/trixie/main/binary-{run('dpkg', '--print-architecture').strip()}/Packages.xz", listed)
        stanzas = lzma.decompress(listed.read_bytes()).decode().split("\n\n")
        [stanza] = [one for one in stanzas if one.startswith("Package: docker-compose\n")]
        fields = dict(line.split(": ", 1) for line in stanza.splitlines() if ": " in line and not line.startswith(" "))
        archive = self.folder / "compose.deb"
        fetch(f"{here}/{fields['Filename']}", archive)
        if hashlib.sha256(archive.read_bytes()).hexdigest() != fields["SHA256"]:
            raise RuntimeError(f"{fields['Filename']} does not match the checksum in Debian's package list")
        run("dpkg-deb", "--extract", archive, self.folder / "compose")
        shutil.copy(self.folder / "compose/usr/libexec/docker/cli-plugins/docker-compose", plugin)

    def base(self, *, suite: str, name: str) -> None:
        """Import a base image of Debian packages, with this machine's certificates and pip indexes."""
        certificates = Path(os.environ.get("PIP_CERT") or os.environ.get("SSL_CERT_FILE") or "/etc/ssl/certs/ca-certificates.crt")
        hook = self.folder / "hook"
        (self.folder / "pip.conf").write_text(pip_settings(certificates=certificates.is_file()))
        if certificates.is_file():
            shutil.copy(certificates, self.folder / "ca.crt")
        hook.write_text(
            '#!/bin/sh\nset -e\ncd "$(dirname "$0")"\ncp pip.conf "$1/etc/pip.conf"\n'
            '[ ! -e ca.crt ] || cp ca.crt "$1/etc/machine-ca.crt"\n'
            'rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/*\n'
        )
        hook.chmod(0o755)
        archive = self.folder / "base.tar"
        # The mirror's package list may be older than its Valid-Until date.
        run(
            "mmdebstrap",
            "--variant=minbase",
            '--aptopt=Acquire::Check-Valid-Until "false"',
            *(f"--aptopt={one}" for one in proxies()),
            *(f"--dpkgopt={one}" for one in _SLIM),
            f'--customize-hook={hook} "$1"',
            suite,
            archive,
            mirror(),
        )
        self.docker("import", archive, name)
        archive.unlink()


def mirror(targets: str | None = None) -> str:
    """Return the address of the Debian mirror that this machine's apt uses, without a slash at its end.

    :param targets: output of ``apt-get indextargets`` in format _TARGET; None runs it.
    :raises NotHere: apt has no Debian mirror, or 'apt-get update' has not run yet.
    """
    if targets is None:
        try:
            targets = run("apt-get", "indextargets", "--format", _TARGET, "Created-By: Packages")
        except (OSError, subprocess.CalledProcessError) as error:
            raise NotHere("apt-get does not list the machine's mirrors") from error
    for line in targets.splitlines():
        address, _, label = line.rpartition(" ")
        if label == "Debian":  # not Debian-Security or third-party repositories
            return address.rstrip("/")
    raise NotHere("apt has no Debian mirror; if one is configured, run 'apt-get update'")


def proxies(configured: str | None = None) -> list[str]:
    """Return apt's proxy settings in mmdebstrap's format. :param configured: output of ``apt-config dump``; None runs it."""
    if configured is None:
        configured = run("apt-config", "dump", "Acquire")
    return [line for line in configured.splitlines() if re.match(r"Acquire::https?::Proxy(::|\s)", line)]


def fetch(address: str, target: Path) -> None:
    """Download a file the way apt does, with its proxies and certificates. :raises NotHere: the mirror cannot be reached."""
    try:
        run(_APT_HELPER, "download-file", address, target)
    except (OSError, subprocess.CalledProcessError) as error:
        raise NotHere(f"{address} cannot be downloaded: {getattr(error, 'output', None) or error}") from error


def pip_settings(*, certificates: bool) -> str:
    """Return pip.conf for the base image: this machine's indexes, except local folders. :param certificates: add its bundle."""
    lines = ["[global]", *(["cert = /etc/machine-ca.crt"] if certificates else [])]
    configured = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False).stdout
    for line in configured.splitlines():
        key, _, value = line.partition("=")
        words = [one for one in value.strip("'\"").replace("\\n", " ").split() if not one.startswith(("file:", "/"))]
        if key.rpartition(".")[2] in _PIP and words:
            lines.append(f"{key.rpartition('.')[2]} = {' '.join(words)}")
    return "\n".join(dict.fromkeys(lines)) + "\n"
