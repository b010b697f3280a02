"""Root URLs."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import URLPattern, URLResolver, include, path, register_converter

from pools.keys import KeyConverter

register_converter(KeyConverter, "key")

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/", include("pools.api.urls")),
    path("login/", LoginView.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("", include("pools.web.urls")),
]

handler400 = "dra_dashboard.errors.bad_request"
handler403 = "dra_dashboard.errors.permission_denied"
handler404 = "dra_dashboard.errors.not_found"
handler500 = "dra_dashboard.errors.server_error"
