"""Benchmarks, each compared with a peer in the same run, as ratios of medians over several rounds."""
