"""Benchmarks: each beside its peer, in one run; ratios of medians over several rounds, since machines are noisy."""
