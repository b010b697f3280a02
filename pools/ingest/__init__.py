"""Inward shell: bytes in by REST, file or cluster, mirrored into rows in one transaction."""
