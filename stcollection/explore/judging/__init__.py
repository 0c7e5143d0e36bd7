"""The tab to judge pools by: blind, by keys; and what annotators disagree on."""
