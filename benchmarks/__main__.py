"""Run benchmarks: ``python -m benchmarks [NAME…]``, by default all except the long ones."""

from __future__ import annotations

import importlib
import sys

ALL = (
    "loading",
    "storing",
    "bm25",
    "dense",
    "engines",
    "filters",
    "service",
    "embedding",
    "complexity",
    "scoring",
    "diversity",
    "significance",
    "corrected",
    "ties",
    "expansion",
    "quality",
    "sparse",
    "answers",
    "coverage",
    "requests",
    "explore",
    "upgrade",
)

for name in sys.argv[1:] or ALL:
    print(f"── {name}", flush=True)
    importlib.import_module(f"benchmarks.{name}").main()
