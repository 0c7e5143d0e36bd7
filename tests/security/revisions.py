"""The revisions of migrations/ as modules, to test the repairs of an upgrade on rows stored before it."""

from __future__ import annotations

import importlib.util
from types import ModuleType

from stcollection.db.files import folder


def revision(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"revision_{name}", folder("migrations") / "versions" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
