"""Commands on qrels llm."""
