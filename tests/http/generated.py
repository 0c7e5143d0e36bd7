"""A client that openapi-python-client generates from the description of the service."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest


def generated_client(
    description: str, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, **options: Any
) -> tuple[Callable[..., Any], Callable[[str], Any]]:
    """Generate a package without a warning. Return a function that calls an operation, and one that returns a model's class.

    :param description: text of openapi.json. :param name: of the package, one for each test. :param options: of its client.
    """
    (folder / "openapi.json").write_text(description)
    command: list[str | Path] = [Path(sys.executable).with_name("openapi-python-client"), "generate"]
    command += ["--path", folder / "openapi.json", "--meta", "none", "--fail-on-warning", "--output-path", folder / name]
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}  # it formats with ruff
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    monkeypatch.syspath_prepend(str(folder))
    client = importlib.import_module(name).Client(raise_on_unexpected_status=True, timeout=httpx.Timeout(60), **options)

    def call(operation: str, *values: Any, tag: str, **params: Any) -> Any:
        return importlib.import_module(f"{name}.api.{tag}.{operation}").sync(*values, client=client, **params)

    def model(of: str) -> Any:
        return getattr(importlib.import_module(f"{name}.models"), of)

    return call, model
