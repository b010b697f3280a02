"""Classes, taint rules, nodes and pods, as far as device allocation needs them."""

from __future__ import annotations

from typing import Any

import pytest

from pools.domain.cluster import Node, Pod
from pools.domain.errors import Undecodable
from pools.wire.registry import decode


def thing(kind: str, version: str = "v1", **parts: Any) -> Any:
    return decode({"apiVersion": version, "kind": kind, "metadata": {"name": "x"}, **parts})


def fault(kind: str, version: str = "v1", **parts: Any) -> Undecodable:
    with pytest.raises(Undecodable) as caught:
        thing(kind, version, **parts)
    return caught.value


class TestClasses:
    @pytest.mark.parametrize("version", ["v1", "v1beta2", "v1beta1", "v1alpha3"])
    def test_a_class_is_the_same_in_every_generation(self, version: str) -> None:
        spec = {"selectors": [{"cel": {"expression": "true"}}], "extendedResourceName": "e.com/gpu", "config": []}
        one = thing("DeviceClass", f"resource.k8s.io/{version}", spec=spec)
        assert (one.form, one.selectors, one.extended_resource) == (version, ("true",), "e.com/gpu")

    def test_a_class_may_select_everything(self) -> None:
        assert thing("DeviceClass", "resource.k8s.io/v1", spec={}).selectors == ()
        assert thing("DeviceClass", "resource.k8s.io/v1").selectors == ()

    def test_a_selector_of_another_kind_is_refused(self) -> None:
        found = fault("DeviceClass", "resource.k8s.io/v1", spec={"selectors": [{"rego": {}}]})
        assert found.path == "spec.selectors[0].cel.expression"


class TestTaintRules:
    TAINT = {"key": "k", "effect": "NoExecute"}

    @pytest.mark.parametrize("version", ["v1", "v1beta2", "v1alpha3"])
    def test_absent_fields_restrict_nothing_and_an_absent_selector_is_told_apart(self, version: str) -> None:
        def rule(**spec: Any) -> Any:
            return thing("DeviceTaintRule", f"resource.k8s.io/{version}", spec={"taint": self.TAINT, **spec})

        assert rule(deviceSelector={"driver": "d", "pool": "p"}).matches("d", "p", "any")
        assert not rule(deviceSelector={"driver": "d", "pool": "p"}).matches("d", "q", "any")
        assert rule(deviceSelector={}).matches("d", "p", "any")
        assert not rule().matches("d", "p", "any")
        assert not rule(deviceSelector=None).has_selector
        assert rule(deviceSelector={}).form == version

    def test_selectors_that_later_releases_drop_are_refused_when_used(self) -> None:
        def rule(selector: dict[str, Any]) -> dict[str, Any]:
            return {"taint": self.TAINT, "deviceSelector": selector}

        for key, value in (("deviceClassName", "gpu"), ("selectors", [{"cel": {"expression": "true"}}])):
            found = fault("DeviceTaintRule", "resource.k8s.io/v1alpha3", spec=rule({"driver": "d", key: value}))
            assert found.path == f"spec.deviceSelector.{key}"
            assert "select by driver, pool or device" in found.reason
        unused = rule({"driver": "d", "deviceClassName": None, "selectors": []})
        assert thing("DeviceTaintRule", "resource.k8s.io/v1alpha3", spec=unused).driver == "d"

    def test_a_rule_needs_a_taint(self) -> None:
        assert fault("DeviceTaintRule", "resource.k8s.io/v1", spec={"deviceSelector": {}}).path == "spec.taint.key"
        found = fault(
            "DeviceTaintRule", "resource.k8s.io/v1", spec={"taint": self.TAINT, "deviceSelector": {"pool": 5}}
        )
        assert found.path == "spec.deviceSelector.pool"


class TestNodes:
    def test_labels_taints_and_amounts(self) -> None:
        node = thing(
            "Node",
            spec={"unschedulable": True, "taints": [{"key": "k", "effect": "NoSchedule"}]},
            status={"allocatable": {"cpu": "64", "nvidia.com/gpu": 2, "memory": "1056Ki"}},
        )
        assert isinstance(node, Node)
        assert node.unschedulable
        assert node.taints == (("k", "", "NoSchedule"),)
        assert {name: amount.text for name, amount in node.allocatable.items()} == {
            "cpu": "64",
            "nvidia.com/gpu": "2",
            "memory": "1056Ki",
        }

    def test_a_bare_node_is_enough(self) -> None:
        assert thing("Node").allocatable == {}

    def test_faults_tell_the_path(self) -> None:
        assert fault("Node", status={"allocatable": {"cpu": "many"}}).path == "status.allocatable.cpu"
        assert fault("Node", spec={"taints": [{}]}).path == "spec.taints[0].key"


class TestPods:
    def test_claims_by_name_template_and_the_older_level(self) -> None:
        entries = [
            {"name": "a", "resourceClaimName": "one"},
            {"name": "b", "resourceClaimTemplateName": "two"},
            {"name": "c", "source": {"resourceClaimName": "three"}},
        ]
        statuses = [{"name": "b", "resourceClaimName": "two-x"}, {"name": "d"}]
        pod = thing(
            "Pod",
            spec={"resourceClaims": entries, "nodeName": "n", "schedulingGates": [{"name": "g"}]},
            status={
                "phase": "Pending",
                "resourceClaimStatuses": statuses,
                "extendedResourceClaimStatus": {"resourceClaimName": "ext"},
                "conditions": [{"type": "PodScheduled", "status": "False", "message": "0/3 nodes"}],
            },
        )
        assert isinstance(pod, Pod)
        assert pod.claim_names() == ("one", "two-x", "three", "ext")
        assert pod.claim_statuses == {"b": "two-x", "d": None}
        assert (pod.node_name, pod.phase, pod.scheduling_gates) == ("n", "Pending", ("g",))
        assert [(one.type, one.message) for one in pod.conditions] == [("PodScheduled", "0/3 nodes")]
        assert str(pod.id) == "default/x"

    def extended(self, **spec: Any) -> dict[str, str]:
        return {name: amount.text for name, amount in thing("Pod", spec=spec).extended_requests.items()}

    @staticmethod
    def container(restart: str | None = None, **limits: Any) -> dict[str, Any]:
        resources = {"limits": {f"e.com/{name}": amount for name, amount in limits.items()}}
        return {"name": "c", "resources": resources, **({"restartPolicy": restart} if restart else {})}

    def test_only_resources_with_a_domain_of_their_own_are_extended(self) -> None:
        limits = {
            "cpu": "1",
            "memory": "oops, not ours to judge",
            "hugepages-2Mi": "4Mi",
            "kubernetes.io/thing": "1",
            "e.com/gpu": "2",
            "deviceclass.resource.kubernetes.io/gpu": 1,
        }
        found = self.extended(containers=[{"resources": {"limits": limits, "requests": {"e.com/nic": 1}}}])
        assert found == {"e.com/gpu": "2", "deviceclass.resource.kubernetes.io/gpu": "1", "e.com/nic": "1"}

    def test_containers_add_up_and_init_containers_run_one_by_one(self) -> None:
        gpus = [self.container(gpu=1), self.container(gpu=2)]
        assert self.extended(containers=gpus) == {"e.com/gpu": "3"}
        assert self.extended(containers=gpus, initContainers=[self.container(gpu=2)] * 2) == {"e.com/gpu": "3"}
        assert self.extended(containers=gpus, initContainers=[self.container(gpu=5)]) == {"e.com/gpu": "5"}

    def test_sidecars_stay_beside_what_starts_after_them(self) -> None:
        sidecar = self.container("Always", gpu=1)
        assert self.extended(containers=[self.container(gpu=2)], initContainers=[sidecar]) == {"e.com/gpu": "3"}
        early, late = [self.container(gpu=4), sidecar], [sidecar, self.container(gpu=4)]
        assert self.extended(containers=[self.container(gpu=1)], initContainers=early) == {"e.com/gpu": "4"}
        assert self.extended(containers=[self.container(gpu=1)], initContainers=late) == {"e.com/gpu": "5"}

    def test_faults_tell_the_path(self) -> None:
        assert fault("Pod", spec={"resourceClaims": [{}]}).path == "spec.resourceClaims[0].name"
        claims = [{"name": "a", "source": {"resourceClaimName": 5}}]
        assert fault("Pod", spec={"resourceClaims": claims}).path == "spec.resourceClaims[0].source.resourceClaimName"
        limits = {"limits": {"e.com/gpu": "two"}}
        found = fault("Pod", spec={"containers": [{"resources": limits}]})
        assert found.path == "spec.containers[0].resources.limits.e.com/gpu"
