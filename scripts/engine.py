"""A Docker engine of one's own for a short time: in folders, a network, mounts and processes of its own, gone without a trace.

It needs root, Debian's docker.io, mmdebstrap and iptables (installed by apt where that may be), and nothing that runs already. Its
network is a namespace of its own: bridge and rules of iptables are there, the machine's stay as they are, and nothing outside is
reached. So images are built by an engine in the machine's network that has no bridge, and run by another one on the same data.
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
# docker.io's own: a newer client builds by a plugin that may not be there.
_CLIENT = "/usr/bin/docker"
_START_SECONDS = 60
# As Debian's slim images have it.
_SLIM = [f"path-exclude=/usr/share/{one}/*" for one in ("doc", "man", "locale", "info", "lintian")]
_SLIM.append("path-include=/usr/share/doc/*/copyright")
_APT_HELPER = "/usr/lib/apt/apt-helper"
_TARGET = "$(REPO_URI) $(LABEL)"  # what apt-get indextargets shall print of each list of packages
# pip's settings that are carried into the base image.
_PIP = ("index-url", "extra-index-url", "trusted-host", "timeout", "default-timeout", "proxy")


class NotHere(Exception):
    """No engine can be had on this machine, for a reason outside this project."""


def run(*command: str | Path, env: Mapping[str, str] | None = None, **options: object) -> str:
    """Run a command; its output. :raises subprocess.CalledProcessError: it fails; ``output`` has what it printed."""
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
    """Have the programs an engine is made of. :raises NotHere: they are not there and cannot be installed."""
    if os.geteuid() != 0:
        raise NotHere("an engine of its own takes root")
    missing = sorted({package for program, package in PROGRAMS.items() if shutil.which(program) is None})
    if not missing:
        return
    if (
        shutil.which("apt-get") is None or Path("/run/systemd/system").exists()
    ):  # there installing docker.io starts the machine's own
        raise NotHere(f"these packages are not installed: {', '.join(missing)}")
    print(f"installing {', '.join(missing)}", flush=True)
    env = {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        run("apt-get", "-qq", "update", env=env)
        run("apt-get", "-qq", "install", "--yes", "--no-install-recommends", *missing, env=env)
    except subprocess.CalledProcessError as error:
        raise NotHere(f"apt-get could not install {', '.join(missing)}") from error


def traces(folder: Path) -> list[str]:
    """What is left of an engine: processes and mounts that name its folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if str(folder).encode() in (process / "cmdline").read_bytes() and int(process.name) != os.getpid():
                found.append(f"process {process.name}")
    mounts = Path("/proc/self/mountinfo").read_text().splitlines()
    return found + [f"mount {line.split()[4]}" for line in mounts if str(folder) in line]


def surroundings() -> dict[str, str]:
    """What an engine would change of the machine's network, had it not its own."""
    rules = run("iptables", "-w", "-S") + run("iptables", "-w", "-t", "nat", "-S")
    return {"rules of iptables": rules, "interfaces": run("ip", "-brief", "link"), "routes": run("ip", "route")}


@dataclass
class Engine:
    """:param folder: for all it writes. Its data stays from one start to the next, until :meth:`remove`."""

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
        """Run it. :param own_network: in a network of its own, with a bridge, to run containers; else in the machine's, to build.

        :raises NotHere: it does not start.
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
        """Ask it to end; its namespace of processes ends with it, so none of its processes can be left."""
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
            process.kill()  # --kill-child takes the engine along
            process.wait()
        (self.folder / "pid").unlink(missing_ok=True)

    @staticmethod
    def inner(process: subprocess.Popen[bytes]) -> int | None:
        """The engine's process, seen from here."""
        with contextlib.suppress(OSError):
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            return int(children[0]) if children else None
        return None

    def inside(self) -> list[str]:
        """What to put before a command so that it runs on the host that the engine's network has."""
        assert self.process is not None  # noqa: S101
        return ["nsenter", "--target", str(self.inner(self.process)), "--net"] if self.own_network else []

    def docker(self, *arguments: str | Path, env: Mapping[str, str] | None = None, **options: object) -> str:
        return run(_CLIENT, *arguments, env={**self.env, **(env or {})}, **options)

    def remove(self) -> None:
        """Take away all it has written. :raises RuntimeError: something of it is left."""
        for child in ("data", "exec"):
            shutil.rmtree(self.folder / child, ignore_errors=True)
        shutil.rmtree(self.folder)
        left = traces(self.folder)
        if left:
            raise RuntimeError(f"the engine left {', '.join(left)}")

    # -- what it starts from

    def compose(self) -> None:
        """Have compose: the machine's plugin, or the one of Debian's next release, in the engine's own configuration."""
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
            raise RuntimeError(f"{fields['Filename']} is not what Debian's list says")
        run("dpkg-deb", "--extract", archive, self.folder / "compose")
        shutil.copy(self.folder / "compose/usr/libexec/docker/cli-plugins/docker-compose", plugin)

    def base(self, *, suite: str, name: str) -> None:
        """Import a base image made from Debian's packages, that trusts what this machine trusts and asks pip's indexes it asks."""
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
        # The mirror's list of packages may be older than it says it is good for.
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

    :param targets: what ``apt-get indextargets`` prints for _TARGET; None runs it.
    :raises NotHere: apt has no mirror of Debian, or has not read its lists yet.
    """
    if targets is None:
        try:
            targets = run("apt-get", "indextargets", "--format", _TARGET, "Created-By: Packages")
        except (OSError, subprocess.CalledProcessError) as error:
            raise NotHere("apt-get does not list the machine's mirrors") from error
    for line in targets.splitlines():
        address, _, label = line.rpartition(" ")
        if label == "Debian":  # not Debian-Security, nor other people's packages
            return address.rstrip("/")
    raise NotHere("apt is configured with no mirror of Debian; if it is, run 'apt-get update'")


def proxies(configured: str | None = None) -> list[str]:
    """Return apt's proxy settings, as mmdebstrap takes them. :param configured: what ``apt-config dump`` prints; None runs it."""
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
    """pip.conf for the base image: this machine's indexes, but for folders of it. :param certificates: its bundle comes along."""
    lines = ["[global]", *(["cert = /etc/machine-ca.crt"] if certificates else [])]
    configured = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False).stdout
    for line in configured.splitlines():
        key, _, value = line.partition("=")
        words = [one for one in value.strip("'\"").replace("\\n", " ").split() if not one.startswith(("file:", "/"))]
        if key.rpartition(".")[2] in _PIP and words:
            lines.append(f"{key.rpartition('.')[2]} = {' '.join(words)}")
    return "\n".join(dict.fromkeys(lines)) + "\n"
