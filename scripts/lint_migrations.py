"""Lint the SQL of the migrations with squawk, by the rules in .squawk.toml.

Alembic prints the SQL of each revision without a database (offline mode), in one file each. Revisions before FIRST are skipped,
since collections already have them.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

from alembic import command

from stcollection.db.step import configuration, revisions

FIRST = "0014"
REPOSITORY = Path(__file__).resolve().parents[1]
SQUAWK = Path(sys.executable).with_name("squawk")


def statements(before: str, revision: str) -> str:
    """Return the SQL of one revision.

    :raises SystemExit: the revision reads rows in Python, which needs a database.
    """
    config = configuration()
    config.output_buffer = printed = io.StringIO()
    try:
        command.upgrade(config, f"{before}:{revision}", sql=True)
    except AttributeError as error:
        raise SystemExit(
            f"revision {revision} cannot be printed as SQL: {error}. Use op.execute, and a DO block to read rows."
        ) from error
    return printed.getvalue()


def main() -> int:
    numbers = sorted(number for number, _ in revisions())
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for before, revision in pairwise(numbers):
            if revision >= FIRST:
                files.append(Path(folder) / f"{revision}.sql")
                files[-1].write_text(statements(before, revision), encoding="utf-8")
        return subprocess.run([SQUAWK, f"--config={REPOSITORY / '.squawk.toml'}", *files], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
