"""The leaderboard: a table with groups and intervals, pairs of runs, figures, and two runs compared query by query."""
