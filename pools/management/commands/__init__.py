"""Thin commands: arguments in, one call to queries or ingest, output."""
