"""Lint the SQL of the migrations with squawk, by the rules in .squawk.toml.

Alembic prints the SQL of each revision without a database (offline mode), in one file each. The first one is
skipped, since it creates tables that nobody reads yet. The checks and indexes that follow the transaction are one file more.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from pathlib import Path

from alembic import command

from stcollection.db import online
from stcollection.db.step import configuration, oldest, revisions
from stcollection.errors import StateError

REPOSITORY = Path(__file__).resolve().parents[1]
SQUAWK = Path(sys.executable).with_name("squawk")


# Nothing is in a transaction here, so that the rules on concurrent builds apply.
SETTINGS = """
pg_version = "17.0"
assume_in_transaction = false
excluded_rules = ["require-lock-timeout", "require-statement-timeout", "prefer-robust-stmts"]
"""


def after() -> dict[str, list[str]]:
    """Return the statements that follow the transaction, for tables of any size; add and validate are separate transactions."""
    return {
        "add": [f"ALTER TABLE {one.table} ADD CONSTRAINT {one.name} CHECK ({one.rule}) NOT VALID" for one in online.CHECKS],
        "validate": [f"ALTER TABLE {one.table} VALIDATE CONSTRAINT {one.name}" for one in online.CHECKS],
        "build": [one.definition(one.table, one.name, concurrently=True) for one in online.INDEXES],
    }


def statements(number: str) -> str:
    """Return the SQL of a revision, without a database.

    :raises StateError: the revision reads rows in Python.
    """
    numbers = ["base", *(name for name, _ in reversed(revisions()))]
    config = configuration()
    config.output_buffer = printed = io.StringIO()
    try:
        command.upgrade(config, f"{numbers[numbers.index(number) - 1]}:{number}", sql=True)
    except AttributeError as error:
        raise StateError(
            f"revision {number} cannot be printed as SQL: {error}", hint="Use op.execute, and a DO block to read rows."
        ) from error
    return printed.getvalue()


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        revised = {number: statements(number) for number, _ in revisions() if number > oldest()}
        afterwards = {stage: "".join(f"{one};\n" for one in some) for stage, some in after().items()}
        (folder / "settings.toml").write_text(SETTINGS, encoding="utf-8")
        done = [
            _lint(folder, REPOSITORY / ".squawk.toml", revised),
            _lint(folder, folder / "settings.toml", afterwards),
        ]
    return max(done)


def _lint(folder: Path, settings: Path, texts: dict[str, str]) -> int:
    for name, text in texts.items():
        (folder / f"{name}.sql").write_text(text, encoding="utf-8")
    files = [folder / f"{name}.sql" for name in sorted(texts)]
    return subprocess.run([SQUAWK, f"--config={settings}", *files], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
