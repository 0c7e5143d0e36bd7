"""Save processor time of the page's server: tracing that nothing receives, and searches for garbage in what was loaded."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec

_SDK = "opentelemetry.sdk"
_TRACED = ("shiny.reactive._reactives", "shiny.reactive._extended_task", "shiny.session._session")


def switch_off_tracing() -> None:
    """Keep Shiny from preparing traces, unless OpenTelemetry's SDK is installed and could receive them.

    Shiny reads the source file of each reactive function in each new session, which was 40 % of the time to open one. For each
    step it also tries to import the SDK, and Python searches all folders for it.
    """
    if find_spec(_SDK) is not None:
        return
    sys.modules[_SDK] = None  # type: ignore[assignment]  # an import then fails at once
    for name in _TRACED:
        module = import_module(name)
        if hasattr(module, "extract_source_ref"):
            setattr(module, "extract_source_ref", _untraced)  # noqa: B010  # mypy knows no such attribute


def _untraced(_: Callable[..., object]) -> dict[str, object]:
    return {}


def keep_loaded() -> None:
    """Exclude what is loaded from garbage collection, which stops all readers while it searches; ``gc.unfreeze`` ends it."""
    gc.collect()
    gc.freeze()
