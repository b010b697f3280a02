"""Addresses of the API."""

from django.urls import path

from pools.api.revision import RevisionView

app_name = "api"

urlpatterns = [
    path("v1/revision/", RevisionView.as_view(), name="revision"),
]
