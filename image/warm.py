"""Compile and test an image's packages: python warm.py [--model] imports each module of stcollection, and embeds a text.

Importing compiles bytecode only for modules that are used; bytecode of all installed packages would be as large as their sources.
Modules that need a package omitted from this image are skipped and reported.
"""

import importlib
import pkgutil
import sys

import stcollection
from stcollection.errors import StcError

passed: dict[str, list[str]] = {}
for module in pkgutil.walk_packages(stcollection.__path__, "stcollection."):
    if module.name.endswith("__main__"):
        continue
    try:
        importlib.import_module(module.name)
    except (ModuleNotFoundError, StcError) as error:
        missing = error if isinstance(error, ModuleNotFoundError) else error.__cause__
        if not isinstance(missing, ModuleNotFoundError) or missing.name is None or missing.name.startswith("stcollection"):
            raise
        passed.setdefault(missing.name.partition(".")[0], []).append(module.name)
for package, modules in sorted(passed.items()):
    print(f"skipped, {package} is not installed: {len(modules)} modules")
if "--model" in sys.argv[1:]:
    from stcollection.vectors.model import load

    print("embeds:", load().encode(["a text"]).shape)
