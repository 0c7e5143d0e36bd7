"""Tests, a folder a stage. A package, so that no other "tests" that some wheel installs stands in its way."""
