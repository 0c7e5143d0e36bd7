"""Help and completion import little, because every command waits for the modules that they load."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from stcollection import __version__

# Packages that take longer to import than the whole of 'stc', and parts of our own that import them.
SLOW = {
    "alembic", "filelock", "httpx", "numpy", "orjson", "psycopg", "scipy", "sqlalchemy", "stcollection.db.connection",
    "stcollection.io.registry", "tabulate", "torch", "tqdm", "yaml",
}  # fmt: skip
CODE = """
import sys
from stcollection.__main__ import main
sys.argv[0] = "stc"
try:
    main()
except SystemExit as ended:
    assert not ended.code, ended.code
print(*sys.modules)
"""


@pytest.mark.parametrize(
    ("arguments", "words", "printed"),
    [
        ([], "", "load a data set"),
        (["--help"], "", "score runs, stored ones or files"),
        (["runs", "--help"], "", "Check run files"),
        (["--version"], "", f"stc, version {__version__}\n"),
        (["completion", "bash"], "", "_STC_COMPLETE"),
        ([], "stc sc", "score"),
        ([], "stc runs re", "receive"),
    ],
)
def test_help_and_completion_import_little(arguments: list[str], words: str, printed: str) -> None:
    completing = {"_STC_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))} if words else {}
    done = subprocess.run(
        [sys.executable, "-c", CODE, *arguments], env={**os.environ, **completing}, capture_output=True, text=True, check=False
    )
    *output, modules = done.stdout.splitlines(keepends=True)
    assert done.returncode == 0, done.stderr
    assert printed in "".join(output)
    assert sorted(SLOW & set(modules.split())) == []
