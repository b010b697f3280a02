"""Root URLs."""

from django.urls import URLPattern, URLResolver, register_converter

from pools.keys import KeyConverter

register_converter(KeyConverter, "key")

urlpatterns: list[URLPattern | URLResolver] = []
