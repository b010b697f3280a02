"""Nouns: what Kubernetes publishes about devices, in one form for every API generation. Standard library only."""
