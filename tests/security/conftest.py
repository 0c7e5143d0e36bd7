"""Attacks by people who may log in, with the collection and the logins of tests/roles, and by data, in a browser."""

from tests.explore.conftest import browser  # noqa: F401
from tests.roles.worlds import login  # noqa: F401
