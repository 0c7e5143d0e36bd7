from tests.roles.worlds import login  # noqa: F401
