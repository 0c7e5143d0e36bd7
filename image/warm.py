"""Compiles what is used and tries it: python warm.py [--model] imports each module of stcollection, and embeds a text.

Bytecode of all that pip installs would be as large as its sources; what is imported here has some, the rest is seldom read. A
module that needs a package which this image leaves out is passed over, and said.
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
    print(f"without {package}: {len(modules)} modules")
if "--model" in sys.argv[1:]:
    from stcollection.vectors.model import load

    print("embeds:", load().encode(["a text"]).shape)
