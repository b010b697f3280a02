"""HTML views."""
