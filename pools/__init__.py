"""The dashboard's one Django app: pools, devices and shared counters, read, judged and shown."""
