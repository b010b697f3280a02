"""Addresses of the API; the root registers the converter `key` before it comes here."""

from django.urls import path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from pools.api import details, lists, questions
from pools.api.publish import ObjectView, PublishView
from pools.api.revision import RevisionView

app_name = "api"
POOL = "<key:cluster>/<key:driver>/<key:pool>"
CLAIM = "<key:cluster>/<key:namespace>/<key:name>"
OBJECT = "<key:cluster>/<key:kind>/<key:namespace>/<key:name>"

urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", SpectacularSwaggerSplitView.as_view(url_name="api:schema"), name="docs"),
    path("v1/publish/", PublishView.as_view(), name="publish"),
    path("v1/revision/", RevisionView.as_view(), name="revision"),
    path("v1/clusters/", lists.ClusterList.as_view(), name="clusters"),
    path("v1/clusters/<key:cluster>/", details.ClusterDetail.as_view(), name="cluster"),
    path("v1/pools/", lists.PoolList.as_view(), name="pools"),
    path(f"v1/pools/{POOL}/", details.PoolDetail.as_view(), name="pool"),
    path(f"v1/pools/{POOL}/status/", questions.PoolStatus.as_view(), name="pool-status"),
    path("v1/counter-sets/", lists.CounterSetList.as_view(), name="counter-sets"),
    path("v1/cards/", lists.CardList.as_view(), name="cards"),
    path(f"v1/cards/{POOL}/<key:card>/", details.CardDetail.as_view(), name="card"),
    path(
        f"v1/cards/{POOL}/<key:card>/fragmentation/", questions.CardFragmentation.as_view(), name="card-fragmentation"
    ),
    path("v1/devices/", lists.DeviceList.as_view(), name="devices"),
    path(f"v1/devices/{POOL}/<key:device>/", details.DeviceDetail.as_view(), name="device"),
    path("v1/claims/", lists.ClaimList.as_view(), name="claims"),
    path(f"v1/claims/{CLAIM}/", details.ClaimDetail.as_view(), name="claim"),
    path(f"v1/claims/{CLAIM}/explain/", questions.ClaimExplain.as_view(), name="claim-explain"),
    path(f"v1/claims/{CLAIM}/relief/", questions.ClaimRelief.as_view(), name="claim-relief"),
    path("v1/what-if/", questions.WhatIfView.as_view(), name="what-if"),
    path("v1/fragmentation/", questions.FleetFragmentation.as_view(), name="fragmentation"),
    path("v1/allocations/", lists.AllocationList.as_view(), name="allocations"),
    path("v1/nodes/", lists.NodeList.as_view(), name="nodes"),
    path("v1/nodes/<key:cluster>/<key:name>/", details.NodeDetail.as_view(), name="node"),
    path("v1/findings/", lists.FindingList.as_view(), name="findings"),
    path("v1/objects/", lists.ObjectList.as_view(), name="objects"),
    path(f"v1/objects/{OBJECT}/", ObjectView.as_view(), name="object"),
]
