"""The dashboard's one Django app: pools, devices and shared counters, read, judged and shown."""

__version__ = "0.1.0"
