"""Run pip install with a short progress display: python tools/install.py ARGUMENTS.

The display is one updated line on a terminal, and a line every 15 s elsewhere. pip itself prints hundreds of lines, then nothing
while it unpacks large packages. This script uses only the standard library, since it runs before anything is installed.
"""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import threading
import time
from pathlib import Path

EVERY = 15.0  # seconds between two lines if stdout is not a terminal
_STEP = re.compile(
    r"\s*(?P<what>Collecting|Downloading|Using cached|Building wheel for|Installing collected packages:)\s*(?P<of>\S+)"
)


class Progress(threading.Thread):
    """Prints the progress of pip, once a second, until :attr:`over` is set."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.over = threading.Event()
        self.what = "starting"
        self.packages = 0  # number of packages to install; 0 until pip knows it
        self._site = Path(sysconfig.get_paths()["purelib"])
        self._before = self._installed()
        self._began = time.monotonic()

    def _installed(self) -> int:
        return len(list(self._site.glob("*.dist-info")))

    def heard(self, line: str) -> None:
        """Process a line of pip's output."""
        if found := _STEP.match(line):
            self.what = f"{found['what'].rstrip(':').lower()} {found['of'].rsplit('/', 1)[-1]}"
            if found["what"].startswith("Installing"):
                self.packages = line.count(",") + 1

    def state(self) -> str:
        seconds = f"{time.monotonic() - self._began:4.0f} s"
        if self.packages:
            return f"{seconds}  installing: {self._installed() - self._before} of {self.packages} packages"
        return f"{seconds}  {self.what}"

    def run(self) -> None:
        terminal = sys.stdout.isatty()
        while not self.over.wait(1 if terminal else EVERY):
            print(f"\r\x1b[K{self.state()[:78]}" if terminal else self.state(), end="" if terminal else "\n", flush=True)
        print(f"{chr(13)}{chr(27)}[K" if terminal else "", end="", flush=True)


def main(arguments: list[str]) -> int:
    command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--progress-bar", "off", *arguments]
    progress = Progress()
    said: list[str] = []
    started = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as pip:
        progress.start()
        for line in pip.stdout or ():
            said.append(line)
            progress.heard(line)
    progress.over.set()
    progress.join()
    if pip.returncode:
        print("".join(said[-30:]), file=sys.stderr)
        return pip.returncode
    print(f"installed in {time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
