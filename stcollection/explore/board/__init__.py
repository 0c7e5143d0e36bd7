"""The tab to compare runs by: a leaderboard with marks, figures, two runs query by query."""
