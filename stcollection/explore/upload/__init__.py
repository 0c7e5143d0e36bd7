"""The view Upload: check and score a run file before it is stored; preview topics, judgments and documents, and load them."""
