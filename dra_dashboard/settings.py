"""All settings. Every knob is a DRA_* environment variable; a wrong value stops the start and names the variable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF

from dra_dashboard.knobs import Knobs, host_of, is_loopback

BASE_DIR = Path(__file__).resolve().parent.parent
LOOPBACK_HOSTS = ["127.0.0.1", "localhost", "[::1]"]
KUBERNETES_VERSIONS = ["1.33", "1.34", "1.35", "1.36", "1.37"]

knobs = Knobs()
VAR_DIR = knobs.folder("VAR_DIR", BASE_DIR / "var", "Data folder: database, secret key, collected static files.")
DEBUG = knobs.flag("DEBUG", False, "Django's debug pages. Never where others can reach the server.")
BIND = knobs.bind("BIND", "127.0.0.1:8000", "Where the server listens.")
HTTPS = knobs.flag("HTTPS", False, "Served over HTTPS by a proxy that sets X-Forwarded-Proto: secure cookies, HSTS.")
LOGIN_REQUIRED = knobs.flag(
    "LOGIN_REQUIRED",
    HTTPS or not is_loopback(BIND),
    "Ask for login before anything is shown.",
    shown="true as soon as the server is reachable from elsewhere (DRA_BIND not loopback, or DRA_HTTPS)",
)
ALLOWED_HOSTS = knobs.hosts(
    "ALLOWED_HOSTS", list(dict.fromkeys([*LOOPBACK_HOSTS, *host_of(BIND)])), "Host names the server answers to."
)
CSRF_TRUSTED_ORIGINS = knobs.origins("TRUSTED_ORIGINS", "Further origins whose forms are accepted.")
SECRET_KEY = knobs.secret_key("SECRET_KEY", VAR_DIR, "Signs sessions and forms.")
DATABASE: dict[str, Any] = dict(knobs.database("DATABASE_URL", VAR_DIR / "dashboard.sqlite3", "The database."))
LOG_LEVEL = knobs.choice(
    "LOG_LEVEL", "INFO", "How much is logged.", of=["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"]
)
KUBERNETES_VERSION = knobs.choice(
    "KUBERNETES_VERSION", "1.37", "Whose scheduler is followed where releases differ.", of=KUBERNETES_VERSIONS
)
POLL_SECONDS = knobs.number("POLL_SECONDS", 1.0, "How often an open page asks for news.", low=0.2, high=3600)
MAX_BODY_MIB = knobs.whole("MAX_BODY_MIB", 64, "Largest payload in MiB, after decompression.", low=1, high=4096)
MAX_OBJECTS = knobs.whole("MAX_OBJECTS", 20_000, "Most objects in one payload.", low=1, high=10_000_000)
MAX_DEPTH = knobs.whole("MAX_DEPTH", 64, "Deepest nesting of a payload.", low=8, high=200)
MAX_ALIASES = knobs.whole("MAX_ALIASES", 100, "Most YAML aliases in one payload.", low=0, high=100_000)
WATCH_HISTORY = knobs.whole(
    "WATCH_HISTORY", 10_000, "Changes of a cluster kept for kubectl and drivers that watch.", low=100, high=10_000_000
)

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "template_partials",
    "django_htmx",
    "csp",
    "pools",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "dra_dashboard.middleware.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    *(["django.contrib.auth.middleware.LoginRequiredMiddleware"] if LOGIN_REQUIRED else []),
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "dra_dashboard.urls"
WSGI_APPLICATION = "dra_dashboard.wsgi.application"
ASGI_APPLICATION = "dra_dashboard.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

DATABASES = {"default": DATABASE}
if DATABASE["ENGINE"] == "django.db.backends.sqlite3":
    DATABASE["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",  # two writers wait for one another instead of failing half way
        "timeout": 30,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_COLLECTED = (STATIC_ROOT / "staticfiles.json").exists()
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if STATIC_COLLECTED
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = not STATIC_COLLECTED  # straight from the source until collectstatic

LOGIN_URL = "login"
LOGIN_REDIRECT_URL = LOGOUT_REDIRECT_URL = "/"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "pools.api.authentication.PublishTokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["pools.api.permissions.MayRead"],
    "DEFAULT_RENDERER_CLASSES": ["pools.api.renderers.JsonRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "pools.api.negotiation.Negotiation",
    "DEFAULT_SCHEMA_CLASS": "pools.api.schema.Schema",
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "EXCEPTION_HANDLER": "pools.api.errors.handle",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "DRA dashboard",
    "DESCRIPTION": "Published device pools and claims: what is used, what is left, what still fits.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["pools.api.permissions.MayRead"],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SWAGGER_UI_SETTINGS": {"deepLinking": True, "persistAuthorization": False, "validatorUrl": None},
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {
        "PoolState": ["complete", "incomplete", "invalid"],
        "DeviceState": ["allocated", "available", "blocked", "tainted", "unavailable"],
        "ClaimState": ["pending", "allocated", "reserved", "deleting"],
        "NodeVerdict": ["allocatable", "impossible", "error", "undecided"],
        "LayoutVerdict": ["fits", "impossible", "undecided"],
        "AnswerState": ["allocated", "feasible", "infeasible", "undecided"],
    },
}

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
}
