"""Verbs: pure functions over domain objects; no Django, no clock, no randomness."""
