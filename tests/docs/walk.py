"""Run the blocks of a page in order, in one folder, with one set of shell variables and one Python session."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from tests.docs.output import differs, unprinted
from tests.docs.pages import RUN, Block

SECONDS = 600  # for one block
# Each block runs in a new shell. Exported variables and the working folder pass from block to block.
_SHELL = """\
set -eo pipefail
if [ -f "$STATE/exports" ]; then . "$STATE/exports"; cd "$(cat "$STATE/folder")"; fi
trap 'export -p > "$STATE/exports"; pwd > "$STATE/folder"' EXIT
"""
_PSQL = 'stc psql{owner} -- --no-psqlrc --set ON_ERROR_STOP=1 --pset pager=off --file "$STATE/block.sql"'
_PYTHON = """\
import contextlib, io, json, sys, traceback
names, answers = {"__name__": "__main__"}, sys.stdout
for line in sys.stdin:
    printed, failed = io.StringIO(), False
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(json.loads(line), "<block>", "exec"), names)
        except BaseException:
            failed = True
            traceback.print_exc(file=printed)
    print(json.dumps([failed, printed.getvalue()]), file=answers, flush=True)
"""


@dataclass
class Walk:
    """A run of one page.

    :param work: the reader's folder. :param state: folder for variables and output that pass from block to block.
    :param environment: variables of the commands, with ``stc`` on PATH.
    """

    work: Path
    state: Path
    environment: Mapping[str, str]
    _python: subprocess.Popen[str] | None = field(default=None, init=False)
    _beside: list[subprocess.Popen[str]] = field(default_factory=list, init=False)

    def follow(self, blocks: list[Block]) -> Iterator[tuple[Block, str]]:
        """Run all blocks. :returns: each block that fails, with its output."""
        printed = ""
        for block in blocks:
            if block.mark == "not run":
                continue
            if block.mark == "file":
                (self.work / block.marked).write_text(block.body, encoding="utf-8")
            elif block.mark == "shown by":
                if "STC_TEST_DATA" not in block.marked or Path(self.environment.get("STC_TEST_DATA", "")).is_dir():
                    failed, told = self._run(Block(block.line, "sh", f"({block.marked}\n)"))  # no folder or variable passes on
                    if told := told if failed else unprinted(block.body, told):
                        yield block, told
            elif block.mark == "output":
                found = differs(block.body, printed)
                if found:
                    yield block, found
            elif block.kind == "beside":
                yield from ((block, told) for told in self._start(block.body))
            elif block.kind in (*RUN, "prepare"):
                failed, printed = self._run(block)
                if failed:
                    yield block, printed

    def _run(self, block: Block) -> tuple[bool, str]:
        if block.kind == "python":
            return self._ask_python(block.body)
        body = block.body
        if block.kind == "sql":
            (self.state / "block.sql").write_text(body, encoding="utf-8")
            body = _PSQL.replace("{owner}", " --owner" if block.mark == "owner" else "")
        with (self.state / "printed").open("w+b") as printed:  # a file: a background process would keep a pipe open
            process = subprocess.Popen(
                ["bash", "-c", _SHELL + body],
                cwd=self.work,
                env={**self.environment, "STATE": str(self.state)},
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            told = ""
            try:
                process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                told = f"it did not end within {SECONDS} s"
            printed.seek(0)
            return process.returncode != 0, printed.read().decode() + told

    def _ask_python(self, code: str) -> tuple[bool, str]:
        if self._python is None:
            self._python = subprocess.Popen(
                [sys.executable, "-c", _PYTHON],
                cwd=self.work,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        assert self._python.stdin is not None
        assert self._python.stdout is not None
        self._python.stdin.write(json.dumps(code) + "\n")
        self._python.stdin.flush()
        answer = self._python.stdout.readline()
        if not answer:
            return True, f"python ended with {self._python.wait()}"
        failed, printed = json.loads(answer)
        return bool(failed), str(printed)

    def _start(self, command: str) -> Iterator[str]:
        """Start a background command. :returns: its output, if it ends before it prints ``ready``."""
        process = subprocess.Popen(
            ["bash", "-c", "exec " + command],
            cwd=self.work,
            env=self.environment,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._beside.append(process)
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            if "ready" in line:
                threading.Thread(target=_drain, args=(process.stdout,), daemon=True).start()
                return
        yield "".join(said) + f"ended with {process.wait()}"

    def close(self) -> None:
        """Stop all processes that the page started."""
        for process in self._beside:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
            process.wait(60)
        if self._python is not None:
            self._python.communicate(timeout=60)


def _drain(stream: IO[str]) -> None:
    """Keep reading, so that a full pipe does not block the process."""
    for _ in stream:
        pass


@contextmanager
def walking(work: Path, state: Path, environment: Mapping[str, str]) -> Iterator[Walk]:
    walk = Walk(work, state, environment)
    try:
        yield walk
    finally:
        walk.close()
