"""Commands on synth."""
