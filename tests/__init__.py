"""Tests, one folder per stage. This is a package, so that a module "tests" installed by some wheel cannot hide it."""
