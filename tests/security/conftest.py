"""Attacks by people who may log in: the collection and the logins of tests/roles."""

from tests.roles.worlds import login  # noqa: F401
