"""stcollection: a retrieval test collection in one PostgreSQL database."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("stcollection")
except PackageNotFoundError:  # run from a checkout that was not installed
    __version__ = "0"
