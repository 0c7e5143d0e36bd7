"""Commands on evaluation."""
