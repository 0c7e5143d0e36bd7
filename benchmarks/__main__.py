"""``python -m benchmarks [NAME…]``: all of them but ``large``, or those named."""

from __future__ import annotations

import importlib
import sys

ALL = (
    "loading",
    "bm25",
    "dense",
    "engines",
    "service",
    "embedding",
    "complexity",
    "scoring",
    "significance",
    "expansion",
    "quality",
    "answers",
    "coverage",
    "requests",
    "explore",
)

for name in sys.argv[1:] or ALL:
    print(f"── {name}", flush=True)
    importlib.import_module(f"benchmarks.{name}").main()
