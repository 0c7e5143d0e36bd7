"""The servers that commands start. They are imported by name, because the command line must not depend on them."""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType

from stcollection.errors import StateError

_NEEDED = {
    "explore": ("fastapi", "jinja2", "uvicorn", "psycopg_pool", "luqum", "mlxtend", "concepts"),
    "mcp": ("mcp", "uvicorn"),
    "serve": ("fastapi", "uvicorn", "prometheus_client"),
}
_MODULES = {"explore": "site"}
_TITLES = {"explore": "the explorer", "mcp": "the server for assistants", "serve": "the service"}


def server(name: str) -> ModuleType:
    """Import the module that runs a server.

    :raises StateError: a package that the server needs is not installed.
    """
    missing = [package for package in _NEEDED[name] if importlib.util.find_spec(package) is None]
    if missing:
        what = f"{_TITLES[name]} needs {', '.join(missing)}"
        raise StateError(what, hint=f"pip install 'stcollection[{name}]'", sqlstate="IR404")
    return importlib.import_module(f"stcollection.{_MODULES.get(name, name)}.server")
