"""Text to nouns: every published form becomes the domain's one form."""
