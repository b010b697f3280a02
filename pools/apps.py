"""The app's registration with Django."""

from django.apps import AppConfig


class PoolsConfig(AppConfig):
    """Pools, devices and shared counters."""

    name = "pools"
    default_auto_field = "django.db.models.BigAutoField"
