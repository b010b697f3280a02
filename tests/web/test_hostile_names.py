"""Names that try to break out of the page stay text, and what cannot be seen is written out."""

import re
from html import unescape

import pytest
from django.urls import reverse

from pools.figures.text import visible
from pools.models import (
    Allocation,
    Card,
    Claim,
    Cluster,
    Counter,
    CounterSet,
    Device,
    Finding,
    Node,
    Pod,
    Pool,
    TypeCount,
)
from tests.web import objects

SCRIPT = '"><script>alert(1)</script>'
TURNED = "safe\u202etxt.exe"
LONG = "n" * 253


@pytest.fixture(params=[SCRIPT, TURNED, LONG, "a/b~c", "..", "-->", "{{ 7|add:7 }}", "<img src=x onerror=alert(1)>"])
def hostile(request, db):
    """Rows that carry one hostile name wherever a name can stand, as no validation would ever let through."""
    name = request.param
    cluster = Cluster.objects.create(name=name[:63], revision=1)
    Node.objects.create(cluster=cluster, name=name, observed=True, labels={name: name})
    counts = dict.fromkeys((f"devices_{state}" for state in ("allocated", "available", "tainted")), 0)
    counts |= {"devices_total": 1, "devices_blocked": 1, "devices_unavailable": 0}
    pool = Pool.objects.create(
        cluster=cluster, driver=name, name=name, node=name, state="invalid", reason=name, generation=1, slices_seen=1,
        slices_expected=1, form="v1", revision=1, as_of="2026-12-01T00:00:00Z", **counts,
    )  # fmt: skip
    card = Card.objects.create(
        pool=pool, key=name, label=name, model=name[:64], position=0, use=2, largest=name, **counts
    )
    TypeCount.objects.create(
        pool=pool, card=card, type=name, total=1, allocated=0, available=0, max_more=0, first_fit=0
    )
    counters = CounterSet.objects.create(pool=pool, name=name)
    Counter.objects.create(counter_set=counters, card=card, name=name[:63], capacity="1", consumed="0", available="1")
    device = Device.objects.create(
        pool=pool,
        card=card,
        name=name,
        position=0,
        type=name,
        state="blocked",
        reason_code="counter-short",
        reason=name,
    )
    ask = {
        "name": name,
        "alternatives": [{"name": name, "class": name, "selectors": [name], "mode": "ExactCount", "count": 1}],
    }
    claim = Claim.objects.create(
        cluster=cluster, namespace=name[:63], name=name, form="v1", state="pending", requests=[ask],
        constraints=[{"matchAttribute": name}], reserved_for=[{"resource": "pods", "name": name}],
    )  # fmt: skip
    Allocation.objects.create(
        claim=claim, request=name[:127], driver=name, pool_name=name, device_name=name, pool=pool, device=device
    )
    Pod.objects.create(cluster=cluster, namespace=name[:63], name=name, node=name, unschedulable=name)
    for owner in ({"pool": pool}, {"claim": claim}, {}):
        about = {"code": "odd", "object": name, "severity": "error", "rank": 0, "message": name}
        Finding.objects.create(cluster=cluster, **about, **owner)
    return name


def pages(name):
    yield from (reverse(f"web:{view}") for view in ("fleet", "pools", "devices", "claims", "nodes", "findings"))
    yield reverse("web:fleet") + "?colour=largest"
    yield reverse("web:claim", args=[name[:63], name[:63], name])
    yield reverse("web:node", args=[name[:63], name])


def test_a_hostile_name_stays_text_on_every_page(client, hostile):
    for address in [*pages(hostile), f"/search?q={hostile[:3]}"]:
        response = client.get(address)
        html = response.content.decode()
        assert response.status_code == 200, address
        assert "<script>alert" not in html, address
        assert "<img src=x" not in html, address
        assert "\u202e" not in re.sub(r' value="[^"]*"', "", html), address


def test_every_link_made_of_a_hostile_name_leads_back_to_it(client, hostile):
    for address in (
        reverse("web:claim", args=[hostile[:63], hostile[:63], hostile]),
        reverse("web:node", args=[hostile[:63], hostile]),
    ):
        assert client.get(address).status_code == 200


@pytest.mark.parametrize("text", [SCRIPT, TURNED, "<b>bold</b>", "x" * 64])
def test_what_a_driver_publishes_freely_stays_text_on_the_pages_of_its_pool(client, db, text):
    slices = objects.mig_node("node-0", tainted={0: {"key": "k", "value": "v", "effect": "NoSchedule"}})
    for device in slices[1]["spec"]["devices"]:
        device["attributes"] |= {"productName": {"string": text}, "profile": {"string": text}}
    objects.put(*slices)
    pool = ["default", "gpu.nvidia.com", "node-0"]
    addresses = [
        reverse("web:pool", args=pool),
        reverse("web:card", args=[*pool, "gpu-0-counter-set"]),
        reverse("web:slots", args=[*pool, "gpu-0-counter-set"]),
        reverse("web:device", args=[*pool, "gpu-0"]),
        reverse("web:fleet"),
        reverse("web:fleet") + "?colour=largest",
    ]

    for address in addresses:
        html = client.get(address).content.decode()
        assert visible(text)[:9] in unescape(html).replace("\\u003C", "<").replace("\\u003E", ">"), address
        assert "<script>alert" not in html, address
        assert "<b>bold" not in html, address
        assert "\u202e" not in re.sub(r' value="[^"]*"', "", html), address
