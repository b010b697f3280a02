"""One slice or claim published in any API generation arrives as the same noun."""

from __future__ import annotations

import json
from dataclasses import replace

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pools.domain.claim import (
    Allocation,
    AllocationResult,
    Claim,
    Constraint,
    Consumer,
    DeviceRequest,
    Request,
    Toleration,
)
from pools.domain.device import (
    AttributeValue,
    Capacity,
    Consumption,
    Device,
    NodeReach,
    NodeRequirement,
    NodeSelectorTerm,
    RequestPolicy,
    Taint,
)
from pools.domain.pool import CounterSet, Meta, Slice
from pools.domain.quantity import UNKNOWN, parse_quantity
from pools.wire.documents import Document, read
from pools.wire.registry import decode
from tests.wire import encode

few = settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
"""Slices and claims have many fields; making one example takes longer than checking it."""

FORMS = ("v1", "v1beta2", "v1beta1", "v1alpha3")

names = st.from_regex(r"[a-z]([-a-z0-9.]{0,6}[a-z0-9])?", fullmatch=True)
labels = st.from_regex(r"[a-z]([-a-z0-9]{0,6}[a-z0-9])?", fullmatch=True)
texts = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"), min_size=1, max_size=8)
known = st.sampled_from(["0", "1", "98", "40Gi", "4864Mi", "500m", "1.5Gi", "1e3", "-2", "0.1n"]).map(parse_quantity)
amounts = known | st.just(UNKNOWN)
int64 = st.integers(-(2**63), 2**63 - 1)


def tuples(of: st.SearchStrategy, size: int = 3) -> st.SearchStrategy:
    return st.lists(of, max_size=size).map(tuple)


def maps(of: st.SearchStrategy, size: int = 3) -> st.SearchStrategy:
    return st.dictionaries(names, of, max_size=size)


scalars = {"int": int64, "bool": st.booleans(), "string": texts, "version": st.just("1.2.3-rc.1")}
attributes = st.one_of(
    *(st.builds(AttributeValue, st.just(kind), of) for kind, of in scalars.items()),
    *(st.builds(AttributeValue, st.just(f"{kind}s"), tuples(of)) for kind, of in scalars.items()),
    st.just(AttributeValue("unknown", None)),
)
optional = st.none() | known
policies = st.none() | st.builds(RequestPolicy, optional, tuples(known), optional, optional, optional)
requirements = st.builds(NodeRequirement, names, st.sampled_from(["In", "NotIn", "Exists", "Gt"]), tuples(labels))
selectors = st.none() | tuples(st.builds(NodeSelectorTerm, tuples(requirements, 2), tuples(requirements, 1)), 2)
reaches = st.builds(NodeReach, st.just("") | names, selectors, st.booleans())
taints = st.builds(Taint, names, st.just("") | labels, st.sampled_from(["NoSchedule", "NoExecute", "None", "Later"]))
consumptions = st.builds(Consumption, labels, maps(amounts), tuples(labels, 2))
devices = st.builds(
    Device,
    names,
    maps(attributes),
    maps(st.builds(Capacity, amounts, policies)),
    tuples(consumptions, 2),
    tuples(taints, 2),
    reaches,
    st.booleans(),
    st.booleans(),
    tuples(names, 2),
    tuples(names, 2),
)
metas = st.builds(
    Meta, name=names, uid=st.just("") | labels, labels=maps(labels), owners=tuples(st.tuples(labels, names, labels), 1)
)
slices = st.builds(
    Slice,
    meta=metas,
    form=st.just("v1"),
    driver=names,
    pool=names,
    generation=st.integers(0, 2**63 - 1),
    slice_count=st.integers(1, 2**63 - 1),
    reach=reaches,
    devices=tuples(devices),
    counter_sets=tuples(st.builds(CounterSet, labels, maps(amounts))),
    per_device_reach=st.booleans(),
    partition_type_attribute=st.just("") | names,
    skip_node_operations=tuples(labels, 2),
).map(lambda one: replace(one, scope="slice" if one.devices and one.counter_sets else "pool"))

tolerations = st.builds(
    Toleration,
    st.just("") | names,
    st.sampled_from(["", "Exists", "Equal"]),
    st.just(""),
    st.just(""),
    st.none() | int64,
)


def device_requests(name: st.SearchStrategy, admin: st.SearchStrategy) -> st.SearchStrategy:
    return st.builds(
        DeviceRequest,
        name,
        names,
        tuples(texts, 2),
        st.sampled_from(["ExactCount", "All"]),
        st.integers(1, 32),
        admin,
        tuples(tolerations, 2),
        maps(known),
        tuples(st.tuples(names, texts), 2),
    ).map(lambda one: replace(one, count=0 if one.mode == "All" else one.count, names_admin_access=one.admin_access))


subrequests = st.lists(device_requests(labels, st.just(False)), min_size=1, max_size=2).map(tuple)
requests = st.builds(
    Request, labels, st.tuples(device_requests(st.just(""), st.booleans())), st.just(False)
) | st.builds(Request, labels, subrequests, st.just(True))
results = st.builds(
    AllocationResult,
    labels,
    names,
    names,
    names,
    st.just(True),
    st.just("") | labels,
    maps(known),
    tuples(tolerations, 1),
)
claims = st.builds(
    Claim,
    metas.map(lambda meta: replace(meta, namespace="ml")),
    st.just("v1"),
    tuples(requests),
    tuples(st.builds(Constraint, tuples(labels, 2), st.just("") | names, st.just("") | names)),
    st.none() | st.builds(Allocation, tuples(results), selectors),
    tuples(st.builds(Consumer, labels, names, labels, st.just("") | names)),
)


@few
@given(one=slices)
def test_a_slice_is_the_same_in_every_generation(one: Slice) -> None:
    assert [decode(encode.slice_(one, form)) for form in FORMS] == [replace(one, form=form) for form in FORMS]


@few
@given(one=claims)
def test_a_claim_is_the_same_in_every_generation(one: Claim) -> None:
    assert [decode(encode.claim(one, form)) for form in FORMS] == [replace(one, form=form) for form in FORMS]


@few
@given(one=claims)
def test_a_template_asks_what_the_claim_asks(one: Claim) -> None:
    for form in FORMS:
        raw = encode.claim(one, form)
        template = decode({**raw, "kind": "ResourceClaimTemplate", "spec": {"spec": raw["spec"]}})
        assert (template.requests, template.constraints) == (one.requests, one.constraints)


@few
@given(one=slices)
def test_json_and_yaml_text_give_the_same_slice(one: Slice) -> None:
    raw = encode.slice_(one, "v1")
    as_json, as_yaml = json.dumps(raw), yaml.dump(raw, Dumper=yaml.CSafeDumper, allow_unicode=False)
    for text in (as_json, as_yaml):
        (document,) = read(text.encode())
        assert isinstance(document, Document)
        assert decode(document.raw) == one


@few
@given(one=slices, mixed=st.sampled_from(["v1", "v1beta2"]))
def test_an_older_body_under_a_newer_version_is_taken_by_its_structure(one: Slice, mixed: str) -> None:
    raw = {**encode.slice_(one, "v1beta1"), "apiVersion": f"resource.k8s.io/{mixed}"}
    assert decode(raw) == replace(one, form=mixed)


@few
@given(one=slices)
def test_a_newer_body_under_an_older_version_is_taken_by_its_structure(one: Slice) -> None:
    for older in ("v1beta1", "v1alpha3"):
        raw = {**encode.slice_(one, "v1"), "apiVersion": f"resource.k8s.io/{older}"}
        assert decode(raw) == replace(one, form=older)


@few
@given(one=claims)
def test_flat_requests_under_a_newer_version_are_taken_by_their_structure(one: Claim) -> None:
    raw = {**encode.claim(one, "v1beta1"), "apiVersion": "resource.k8s.io/v1"}
    assert decode(raw) == one


def test_results_of_1_31_look_up_admin_access_in_the_request() -> None:
    def claim(form: str, given: bool | None) -> Claim:
        result = {"request": "r", "driver": "d", "pool": "p", "device": "x", "adminAccess": given}
        return decode(
            {
                "apiVersion": f"resource.k8s.io/{form}",
                "kind": "ResourceClaim",
                "metadata": {"name": "c"},
                "spec": {"devices": {"requests": [{"name": "r", "deviceClassName": "k", "adminAccess": True}]}},
                "status": {"allocation": {"devices": {"results": [result]}}},
            }
        )

    def admin(form: str, given: bool | None) -> bool:
        return claim(form, given).allocation.results[0].admin_access

    assert admin("v1alpha3", None) is True
    assert admin("v1alpha3", False) is False
    assert admin("v1beta1", None) is False
    assert admin("v1beta1", True) is True


def test_equal_consumption_is_kept_once() -> None:
    consumes = [{"counterSet": "s", "counters": {"memory": {"value": "40Gi"}}}]
    raw = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": "s"},
        "spec": {
            "driver": "d",
            "pool": {"name": "p", "resourceSliceCount": 1},
            "devices": [{"name": name, "consumesCounters": consumes} for name in ("a", "b")],
        },
    }
    first, second = decode(json.loads(json.dumps(raw))).devices
    assert first.consumes[0] is second.consumes[0]
