"""The audit log: a line of JSON for each judgment that is made on the page."""

from __future__ import annotations

import json
import logging
import os
from datetime import UTC, datetime
from pathlib import Path

from stcollection.errors import BadArgument

_LOG = logging.getLogger(__name__)


class Audit:
    """A file to which judgments are appended. A new file is readable by its owner only.

    :raises BadArgument: the file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        except OSError as error:
            raise BadArgument(
                f"cannot write the audit log {str(path)!r}: {error.strerror}",
                hint="Choose a file that you can write to with --audit.",
            ) from error

    def judged(self, *, role: str, annotator: str, pool: str, query: str, document: str, old: int | None, new: int | None) -> None:
        """Append a judgment. The judgment is stored already, so a failure is logged and not raised.

        :param role: the database's role. :param old: grade before; None: not judged, or skipped. :param new: None: skipped.
        """
        line = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "role": role,
            "annotator": annotator,
            "pool": pool,
            "query": query,
            "document": document,
            "old": old,
            "new": new,
        }
        try:
            os.write(self._file, (json.dumps(line, ensure_ascii=True) + "\n").encode())
        except OSError as error:
            _LOG.error("the audit log cannot be written: %s", error.strerror)
