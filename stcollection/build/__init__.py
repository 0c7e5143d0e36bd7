"""Build a collection from a recipe: a TOML file with its documents, indexes, topics, judgments, runs and scores."""
