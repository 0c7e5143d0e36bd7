"""Attacks by users with a login, on the collection and logins of tests/roles, and by data in a browser."""

from tests.explore.conftest import browser  # noqa: F401
from tests.roles.worlds import login  # noqa: F401
