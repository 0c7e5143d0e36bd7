"""Write the package of a new study from the template in this folder.

The template is cookiecutter's: the folder whose name has braces. Its Python files have the name of the study in texts only, so that
they can be checked like other files.
"""

from __future__ import annotations

import keyword
import os
import shutil
import tempfile
from collections.abc import Container
from pathlib import Path
from pkgutil import resolve_name

from stcollection.errors import BadArgument
from stcollection.plugins import name_problem, studies

_COLLECTION = "stcollection.api.collection:Collection"  # by its name: faces do not import each other


def new_study(name: str, *, folder: Path, commands: Container[str] = ()) -> Path:
    """Write a package with a small study that works: notes on queries.

    :param folder: where the folder of the package is made. :param commands: words that the command line has.
    :returns: the folder of the package, ``stc-NAME``.
    :raises BadArgument: the name cannot be that of a study, or the folder exists or cannot be written. Nothing is written.
    """
    problem = name_problem(name, [study.name for study in studies()])
    if problem is None and keyword.iskeyword(name):
        problem = f"its name {name!r} is a word of Python"
    if problem is None and (name in commands or hasattr(resolve_name(_COLLECTION), name)):
        problem = f"stcollection has a command or a method {name!r}"
    if problem is not None:
        hint = "Use a new word of lower-case letters, digits and underscores, such as notes."
        raise BadArgument(f"cannot make the study {name!r:.60}: {problem}", hint=hint)
    target = folder / f"stc-{name}"
    if os.path.lexists(target):
        raise BadArgument(f"{target} exists already", hint="Use another name, or remove it.")
    try:
        _write(name, target)
    except OSError as error:
        fault = f"cannot write {target.absolute()}: {error.strerror or error}"
        raise BadArgument(fault, hint="Change to a folder that you may write to.") from error
    return target


def _write(name: str, target: Path) -> None:
    """Fill in the template. It is moved to the target when it is complete."""
    from cookiecutter.generate import generate_files  # of the extra studies

    from stcollection import __version__

    values = {"name": name, "title": name.replace("_", " ").capitalize(), "version": __version__}
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".stc-") as draft:
        context = {"cookiecutter": values | {"_copy_without_render": ["*.html"]}}  # a template of the page
        made = Path(generate_files(Path(__file__).parent, context, output_dir=draft, accept_hooks=False))
        for compiled in list(made.rglob("__pycache__")):  # pip compiles the template's files, too
            shutil.rmtree(compiled)
        made.rename(target)
