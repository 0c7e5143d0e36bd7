"""Save processor time of the page's server: unused tracing, and garbage collection of loaded models."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from importlib.util import find_spec
from itertools import count

_THRESHOLDS = gc.get_threshold()
_SELDOM = 10_000  # collections of the middle generation before one of the oldest, by default 10
_TOGETHER = 20  # closed pages: about 400,000 objects
_closed = count(1)
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
    for module in filter(None, map(sys.modules.get, _TRACED)):
        if hasattr(module, "extract_source_ref"):
            setattr(module, "extract_source_ref", _untraced)  # noqa: B010  # mypy knows no such attribute


def _untraced(_: Callable[..., object]) -> dict[str, object]:
    return {}


def keep_loaded() -> None:
    """Exclude what is loaded from garbage collection, and search the objects of pages only after some pages were closed.

    A search through the objects of 30 open pages stops all readers for .3 to 1 s. :func:`keep_nothing` ends both.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS[:2], _SELDOM)


def keep_nothing() -> None:
    """Collect garbage as Python does by default."""
    gc.unfreeze()
    gc.set_threshold(*_THRESHOLDS)


def page_closed() -> None:
    """Free what closed pages leave, for several pages at a time. The objects of a page refer to each other in circles."""
    if next(_closed) % _TOGETHER == 0:
        gc.collect()
