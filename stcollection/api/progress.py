"""Progress bars: widgets or text in a notebook, text on a terminal, nothing elsewhere."""

from __future__ import annotations

import sys
import time
import warnings
from typing import Any

_DELAY = 1.0  # seconds before a bar appears


def in_notebook() -> bool:
    """Return True if this code runs in a Jupyter kernel."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and "IPKernelApp" in shell.config


class NotebookBar:
    """A progress bar, used as a callback with the number of units done and, if known, the total.

    :param show: None shows the bar in notebooks and on terminals.
    """

    def __init__(self, title: str, *, unit: str, show: bool | None = None, delay: float = _DELAY) -> None:
        self._title, self._unit = title, unit
        self._visible = in_notebook() or sys.stderr.isatty() if show is None else show
        self._from = time.monotonic() + delay
        self._bar: Any = None
        if in_notebook():
            _tqdm()

    def __call__(self, done: int, total: int | None, _: object = None) -> None:
        if not self._visible or time.monotonic() < self._from:
            return
        if self._bar is None:
            unit, scale = (" " + self._unit, False) if self._unit != "B" else ("B", True)
            self._bar = _tqdm()(desc=self._title, total=total, unit=unit, unit_scale=scale, leave=False)
        if total is not None:
            self._bar.total = total
        self._bar.update(done - self._bar.n)

    def __enter__(self) -> NotebookBar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()


def _tqdm() -> Any:
    """Import tqdm's bar without the warning that it prints in notebooks without ipywidgets."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from tqdm.auto import tqdm
    return tqdm
