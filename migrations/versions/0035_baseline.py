"""The tables of version 0.2, in 0035_baseline.sql.

Collections of version 0.1 (revisions 0001 to 0034) are upgraded by version 0.2. A new collection (attribute ``fresh``) gets the
tables of studies from the migrations of each; a dump of an earlier revision is restored into those that it was made from.
"""

from __future__ import annotations

import re
from pathlib import Path

from alembic import context, op

from stcollection.names import PATTERN

revision = "0035"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    text = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8").replace("<unprintable>", PATTERN)
    if context.config.attributes.get("fresh"):
        text = re.sub(r"^-- studies: .*?(?=^-- db$)", "", text, flags=re.MULTILINE | re.DOTALL)
    for statement in re.split(r";\n(?=\n|CREATE|COMMENT|GRANT|--)", text):
        op.execute(statement)


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
