"""The Django project: settings, URLs, entry points."""
