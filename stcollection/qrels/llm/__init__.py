"""Let language models judge documents, through any endpoint with an OpenAI-compatible API.

:mod:`stcollection.llm` sends the questions and reads the grades. Here, ``judge`` asks about pairs of query and document, ``store``
keeps the answers, ``report`` summarizes them, and ``prompts`` contains the prompt files.
"""
