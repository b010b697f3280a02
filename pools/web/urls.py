"""Addresses of the pages; the root registers the converter `key` before it comes here."""

from django.urls import path

from pools.web import claims, devices, findings, fleet, fragmentation, live, nodes, pools, search, whatif

app_name = "web"
POOL = "<key:cluster>/<key:driver>/<key:pool>/"

urlpatterns = [
    path("", fleet.fleet, name="fleet"),
    path("live/", live.live, name="live"),
    path("search", search.search, name="search"),
    path("pools/", pools.pool_list, name="pools"),
    path(f"pools/{POOL}", pools.pool, name="pool"),
    path(f"cards/{POOL}<key:card>/", pools.card, name="card"),
    path(f"cards/{POOL}<key:card>/slots.svg", pools.slots, name="slots"),
    path("devices/", devices.device_list, name="devices"),
    path(f"devices/{POOL}<key:device>/", devices.device, name="device"),
    path("claims/", claims.claim_list, name="claims"),
    path("claims/<key:cluster>/<key:namespace>/<key:name>/", claims.claim, name="claim"),
    path("nodes/", nodes.node_list, name="nodes"),
    path("nodes/<key:cluster>/<key:name>/", nodes.node, name="node"),
    path("what-if/", whatif.bench, name="what-if"),
    path("fragmentation/", fragmentation.fragmentation, name="fragmentation"),
    path("findings/", findings.finding_list, name="findings"),
]
