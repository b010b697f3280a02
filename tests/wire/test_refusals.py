"""Whatever is wrong with an object is told with its name, the exact path and a reason."""

from __future__ import annotations

from typing import Any

import pytest

from pools.domain.errors import Undecodable
from pools.wire.registry import FORMS, decode, identify
from tests.wire.samples import CLAIM, MISSING, SLICE, changed


def refused(raw: dict[str, Any]) -> Undecodable:
    with pytest.raises(Undecodable) as caught:
        decode(raw)
    return caught.value


def test_the_samples_themselves_decode() -> None:
    assert len(decode(SLICE).devices) == 2
    assert len(decode(CLAIM).requests) == 2


SLICE_FAULTS = [
    ("spec/driver", MISSING, "spec.driver", "required, but missing"),
    ("spec/driver", "", "spec.driver", "required, but missing"),
    ("spec/driver", None, "spec.driver", "required, but missing"),
    ("spec/driver", 5, "spec.driver", "expected a string, got the number 5"),
    ("spec/driver", "d" * 254, "spec.driver", "longer than 253 characters"),
    ("spec/driver", "a\x1b[31m", "spec.driver", "control or invisible characters"),
    ("spec/pool", MISSING, "spec.pool.name", "required, but missing"),
    ("spec/pool", "n1", "spec.pool", "expected an object, got the string 'n1'"),
    ("spec/pool/name", None, "spec.pool.name", "required, but missing"),
    ("spec/pool/name", "p" * 254, "spec.pool.name", "longer than 253 characters"),
    ("spec/pool/generation", -1, "spec.pool.generation", "must be at least 0, is -1"),
    ("spec/pool/generation", "1", "spec.pool.generation", "expected an integer, got the string '1'"),
    ("spec/pool/generation", 2**63, "spec.pool.generation", "beyond 64 bits"),
    ("spec/pool/generation", 1.5, "spec.pool.generation", "expected an integer, got the number 1.5"),
    ("spec/pool/generation", True, "spec.pool.generation", "expected an integer, got true"),
    ("spec/pool/resourceSliceCount", MISSING, "spec.pool.resourceSliceCount", "required, but missing"),
    ("spec/pool/resourceSliceCount", 0, "spec.pool.resourceSliceCount", "must be at least 1, is 0"),
    ("spec/pool/resourceSliceCount", -3, "spec.pool.resourceSliceCount", "must be at least 1, is -3"),
    ("spec/nodeName", ["n1"], "spec.nodeName", "expected a string, got a list"),
    ("spec/allNodes", "true", "spec.allNodes", "expected true or false, got the string 'true'"),
    ("spec/perDeviceNodeSelection", 1, "spec.perDeviceNodeSelection", "expected true or false, got the number 1"),
    ("spec/nodeSelector", [], "spec.nodeSelector", "expected an object, got a list"),
    ("spec/nodeSelector", {"nodeSelectorTerms": {}}, "spec.nodeSelector.nodeSelectorTerms", "expected a list"),
    (
        "spec/nodeSelector",
        {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a"}]}]},
        "spec.nodeSelector.nodeSelectorTerms[0].matchExpressions[0].operator",
        "required, but missing",
    ),
    ("spec/devices", {"a": 1}, "spec.devices", "expected a list, got an object"),
    ("spec/devices/0", "a", "spec.devices[0]", "expected an object, got the string 'a'"),
    ("spec/devices/0", None, "spec.devices[0]", "expected an object, got null"),
    ("spec/devices/0/name", MISSING, "spec.devices[0].name", "required, but missing"),
    ("spec/devices/0/name", "n" * 300, "spec.devices[0].name", "longer than 253 characters"),
    ("spec/devices/0/name", "a\u202eb", "spec.devices[0].name", "control or invisible characters"),
    ("spec/devices/0/name", "a\nb", "spec.devices[0].name", "control or invisible characters"),
    ("spec/devices/1/attributes", [], "spec.devices[1].attributes", "expected an object, got a list"),
    ("spec/devices/1/attributes/type", "mig", "spec.devices[1].attributes.type", "expected an object"),
    ("spec/devices/1/attributes/type/string", 5, "spec.devices[1].attributes.type.string", "expected a string"),
    ("spec/devices/1/attributes/type/string", "x" * 300, "spec.devices[1].attributes.type.string", "longer than 253"),
    ("spec/devices/1/attributes/type/version", "1.0.0", "spec.devices[1].attributes.type", "more than one value"),
    ("spec/devices/1/attributes/index/int", "1", "spec.devices[1].attributes.index.int", "expected an integer"),
    ("spec/devices/1/attributes/index/int", 2**64, "spec.devices[1].attributes.index.int", "beyond 64 bits"),
    ("spec/devices/1/attributes/tags/strings/0", 1, "spec.devices[1].attributes.tags.strings[0]", "expected a string"),
    ("spec/devices/1/attributes/tags/strings", "x", "spec.devices[1].attributes.tags.strings", "expected a list"),
    ("spec/devices/1/capacity/memory/value", "20GB", "spec.devices[1].capacity.memory.value", "quantity"),
    (
        "spec/devices/1/capacity/memory/requestPolicy/validRange/min",
        "x",
        "spec.devices[1].capacity.memory.requestPolicy.validRange.min",
        "not a quantity: 'x'",
    ),
    (
        "spec/devices/1/capacity/memory/requestPolicy/validValues",
        ["1", "y"],
        "spec.devices[1].capacity.memory.requestPolicy.validValues[1]",
        "not a quantity: 'y'",
    ),
    (
        "spec/devices/1/consumesCounters/0/counters/memory/value",
        "lots",
        "spec.devices[1].consumesCounters[0].counters.memory.value",
        "not a quantity: 'lots'",
    ),
    (
        "spec/devices/1/consumesCounters/0/counters/memory/value",
        True,
        "spec.devices[1].consumesCounters[0].counters.memory.value",
        "expected a quantity such as 40Gi, got true",
    ),
    (
        "spec/devices/1/consumesCounters/0/counters/memory/value",
        "1" * 65,
        "spec.devices[1].consumesCounters[0].counters.memory.value",
        "longer than 64 characters",
    ),
    (
        "spec/devices/1/consumesCounters/0/counters/memory/value",
        "1e400",
        "spec.devices[1].consumesCounters[0].counters.memory.value",
        "exponent beyond",
    ),
    (
        "spec/devices/1/consumesCounters/0/counters/memory",
        "20Gi",
        "spec.devices[1].consumesCounters[0].counters.memory",
        "expected an object, got the string '20Gi'",
    ),
    (
        "spec/devices/1/consumesCounters/0/counterSet",
        MISSING,
        "spec.devices[1].consumesCounters[0].counterSet",
        "required, but missing",
    ),
    ("spec/devices/1/consumesCounters", {}, "spec.devices[1].consumesCounters", "expected a list, got an object"),
    ("spec/devices/1/taints/0/key", MISSING, "spec.devices[1].taints[0].key", "required, but missing"),
    ("spec/devices/1/taints/0/effect", "", "spec.devices[1].taints[0].effect", "required, but missing"),
    ("spec/devices/1/taints/0/timeAdded", "now", "spec.devices[1].taints[0].timeAdded", "not a time such as"),
    ("spec/devices/1/bindingConditions", [1], "spec.devices[1].bindingConditions[0]", "expected a string"),
    ("spec/sharedCounters", {}, "spec.sharedCounters", "expected a list, got an object"),
    ("spec/sharedCounters/0/name", MISSING, "spec.sharedCounters[0].name", "required, but missing"),
    ("spec/sharedCounters/0/counters", [], "spec.sharedCounters[0].counters", "expected an object, got a list"),
    ("spec/sharedCounters/0/counters", {"x" * 254: {}}, "spec.sharedCounters[0].counters." + "x" * 40 + "…", "longer"),
    ("spec", None, "spec.driver", "required, but missing"),
    ("spec", [], "spec", "expected an object, got a list"),
    ("metadata", [], "metadata", "expected an object, got a list"),
    ("metadata/name", MISSING, "metadata.name", "required, but missing"),
    ("metadata/labels", {"a": 1}, "metadata.labels.a", "expected a string, got the number 1"),
    ("metadata/uid", "u" * 65, "metadata.uid", "longer than 64 characters"),
    ("metadata/creationTimestamp", "yesterday", "metadata.creationTimestamp", "not a time such as"),
    ("metadata/creationTimestamp", "2026-13-01T00:00:00Z", "metadata.creationTimestamp", "not a time such as"),
    ("metadata/ownerReferences", ["x"], "metadata.ownerReferences[0]", "expected an object"),
]


@pytest.mark.parametrize(("place", "value", "path", "reason"), SLICE_FAULTS)
def test_a_fault_in_a_slice(place: str, value: object, path: str, reason: str) -> None:
    fault = refused(changed(SLICE, place, value))
    assert fault.path == path
    assert reason in fault.reason
    assert fault.object.startswith("ResourceSlice")


CLAIM_FAULTS = [
    ("spec/devices/requests", "r", "spec.devices.requests", "expected a list"),
    ("spec/devices/requests/0/name", MISSING, "spec.devices.requests[0].name", "required, but missing"),
    ("spec/devices/requests/0/exactly", MISSING, "spec.devices.requests[0]", "neither exactly nor firstAvailable"),
    (
        "spec/devices/requests/0/firstAvailable",
        [{"name": "x", "deviceClassName": "gpu"}],
        "spec.devices.requests[0]",
        "both an exact form and firstAvailable",
    ),
    (
        "spec/devices/requests/0/exactly/deviceClassName",
        None,
        "spec.devices.requests[0].exactly.deviceClassName",
        "required, but missing",
    ),
    ("spec/devices/requests/0/exactly/count", -1, "spec.devices.requests[0].exactly.count", "must be at least 0"),
    (
        "spec/devices/requests/0/exactly/selectors/0",
        {},
        "spec.devices.requests[0].exactly.selectors[0].cel.expression",
        "required, but missing",
    ),
    (
        "spec/devices/requests/0/exactly/capacity",
        {"requests": {"memory": "x"}},
        "spec.devices.requests[0].exactly.capacity.requests.memory",
        "not a quantity",
    ),
    (
        "spec/devices/requests/1/firstAvailable/0/name",
        MISSING,
        "spec.devices.requests[1].firstAvailable[0].name",
        "required, but missing",
    ),
    ("spec/devices/constraints/0", 5, "spec.devices.constraints[0]", "expected an object"),
    ("status/allocation", [], "status.allocation", "expected an object"),
    (
        "status/allocation/devices/results/0/pool",
        MISSING,
        "status.allocation.devices.results[0].pool",
        "required, but missing",
    ),
    (
        "status/allocation/devices/results/0/adminAccess",
        "no",
        "status.allocation.devices.results[0].adminAccess",
        "expected true or false",
    ),
    ("status/allocation/allocationTimestamp", "x", "status.allocation.allocationTimestamp", "not a time"),
    ("status/reservedFor/0/name", None, "status.reservedFor[0].name", "required, but missing"),
    ("status/devices", [{}], "status.devices[0].driver", "required, but missing"),
]


@pytest.mark.parametrize(("place", "value", "path", "reason"), CLAIM_FAULTS)
def test_a_fault_in_a_claim(place: str, value: object, path: str, reason: str) -> None:
    fault = refused(changed(CLAIM, place, value))
    assert fault.path == path
    assert reason in fault.reason
    assert fault.object == "ResourceClaim ml/c"


def test_faults_below_a_level_that_only_older_versions_have_keep_that_level() -> None:
    raw = changed(SLICE, "apiVersion", "resource.k8s.io/v1beta1")
    raw["spec"]["devices"][0] = {"name": "a", "basic": {"capacity": {"memory": {"value": "x"}}}}
    assert refused(raw).path == "spec.devices[0].basic.capacity.memory.value"
    raw["spec"]["devices"][0] = {"name": "a", "basic": 5}
    assert refused(raw).path == "spec.devices[0].basic"
    raw = changed(SLICE, "apiVersion", "resource.k8s.io/v1alpha3")
    raw["spec"]["devices"][0] = {"name": "a", "basic": {"capacity": {"memory": "x"}}}
    assert refused(raw).path == "spec.devices[0].basic.capacity.memory"


def test_names_of_any_length_give_short_messages() -> None:
    raw = changed(SLICE, "kind", "K" * 10_000)
    raw["metadata"]["name"] = "n" * 10_000
    assert len(str(refused(raw))) < 800


class TestKindsAndVersions:
    @pytest.mark.parametrize(
        ("version", "kind"),
        [
            ("v1", "ConfigMap"),
            ("apps/v1", "Deployment"),
            ("resource.k8s.io/v1", "ResourceThing"),
            ("resource.k8s.io/v2", "ResourceSlice"),
            ("resource.k8s.io/v1beta3", "ResourceClaim"),
            ("example.com/v1", "ResourceSlice"),
            ("v2", "Pod"),
            ("resource.k8s.io/v1beta1", "DeviceTaintRule"),
            ("devmgmtproto.k8s.io/v1alpha1", "DeviceClaim"),
            ("resource.k8s.io/v1alpha3", "ResourcePoolStatusRequest"),
        ],
    )
    def test_what_is_not_accepted_is_told_what_is(self, version: str, kind: str) -> None:
        fault = refused({"apiVersion": version, "kind": kind, "metadata": {"name": "x"}})
        assert fault.reason.startswith(f"{version} {kind} is not accepted; accepted are ResourceSlice, ResourceClaim")
        assert fault.object == f"{kind} x"

    def test_kind_and_version_are_required(self) -> None:
        assert refused({}).path == "kind"
        assert refused({"kind": None}).path == "kind"
        assert refused({"kind": "Pod"}).path == "apiVersion"
        assert refused({"kind": "Pod", "apiVersion": 1}).reason == "expected a string, got the number 1"

    def test_classic_claims_are_refused_with_advice(self) -> None:
        for kind, spec in (
            ("ResourceClaim", {"resourceClassName": "gpu"}),
            ("ResourceClaimTemplate", {"spec": {"resourceClassName": "gpu"}}),
        ):
            raw = {"apiVersion": "resource.k8s.io/v1alpha2", "kind": kind, "metadata": {"name": "x"}, "spec": spec}
            assert "publish resource.k8s.io/v1 claims" in refused(raw).reason

    def test_a_slice_of_1_30_is_the_named_resources_form(self) -> None:
        raw = {
            "apiVersion": "resource.k8s.io/v1alpha2",
            "kind": "ResourceSlice",
            "metadata": {"name": "x"},
            "namedResources": {"instances": []},
        }
        assert refused(raw).reason.startswith("form 01, ")

    def test_mixins_are_refused_and_not_dropped(self) -> None:
        fault = refused(changed(SLICE, "spec/mixins", {"counterSet": []}))
        assert FORMS["mixins"].title in fault.reason

    def test_capacity_pools_without_the_composite_level_are_recognised(self) -> None:
        raw = changed(SLICE, "spec/devices", [{"name": "a", "consumesCapacity": [{"capacityPool": "p"}]}])
        del raw["spec"]["sharedCounters"]
        assert refused(raw).reason.startswith("form f2, ")

    def test_the_later_prototype_of_composite_devices_is_recognised(self) -> None:
        raw = changed(SLICE, "spec/devices", [{"name": "a", "partitionable": {"consumesCapacityFrom": []}}])
        del raw["spec"]["sharedCounters"]
        assert refused(raw).reason.startswith("form f1, ")

    def test_every_form_has_a_title_and_refused_ones_a_remedy(self) -> None:
        refused_forms = {form.id for form in FORMS.values() if form.remedy}
        assert refused_forms == {"01", "e4", "e5", "e6", "e7", "f1", "f2", "mixins"}
        assert all(form.title for form in FORMS.values())


class TestIdentity:
    def test_namespaced_kinds_are_in_default_unless_they_say(self) -> None:
        assert identify({"kind": "Pod", "metadata": {"name": "p"}}) == ("Pod", "default", "p")
        assert identify({"kind": "Pod", "metadata": {"name": "p", "namespace": "n"}}) == ("Pod", "n", "p")
        assert identify({"kind": "Node", "metadata": {"name": "p", "namespace": "n"}}) == ("Node", "", "p")

    @pytest.mark.parametrize(
        ("raw", "path"),
        [
            ({}, "kind"),
            ({"kind": "Pod"}, "metadata.name"),
            ({"kind": "Pod", "metadata": 5}, "metadata"),
            ({"kind": "Pod", "metadata": {"name": ""}}, "metadata.name"),
            ({"kind": "Pod", "metadata": {"name": "p", "namespace": "n" * 64}}, "metadata.namespace"),
        ],
    )
    def test_without_kind_and_name_there_is_none(self, raw: dict[str, Any], path: str) -> None:
        with pytest.raises(Undecodable) as caught:
            identify(raw)
        assert caught.value.path == path
