"""The search tab: query, system and filters; results with explanations; neighbours of a document."""
