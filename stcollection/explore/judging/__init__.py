"""The judging tab: judge pools, blind and by keyboard, and review disagreements between annotators."""
