"""The leaderboard tab: a table with significance marks, figures, and two runs compared query by query."""
