"""What else a change touches: taint rules, nodes, pods and holds without a pool name."""

import yaml

from pools.ingest.publish import publish, remove
from pools.models import Allocation, Counter, Device, Finding, Node, Pod, PodClaim, Pool
from tests.manifests import DRIVER, claim, device_class, gpu_pool, node, pod, resource_slice, taint_rule


def gone(kind, name, namespace=""):
    assert remove(cluster="default", kind=kind, namespace=namespace, name=name) is not None


def state(name, pool="node-1"):
    return Device.objects.get(pool__name=pool, name=name).state


def revisions():
    return dict(Pool.objects.values_list("name", "revision"))


def test_a_taint_rule_taints_matching_pools_and_its_end_frees_them(send):
    send(*gpu_pool(), *gpu_pool("node-2"))

    send(taint_rule(pool="node-1", device="half-0"))

    assert [state("half-0"), state("half-1"), state("half-0", "node-2")] == ["tainted", "available", "available"]
    assert revisions() == {"node-1": 2, "node-2": 1}

    send(taint_rule(pool="node-2"))

    assert [state("half-0"), state("half-0", "node-2")] == ["available", "tainted"]

    gone("DeviceTaintRule", "rule")

    assert state("half-0", "node-2") == "available"


def test_a_rule_for_a_device_name_touches_only_pools_with_such_a_device(send):
    send(*gpu_pool(), *gpu_pool("node-2", parts=1))

    send(taint_rule(device="half-1"))

    assert revisions() == {"node-1": 2, "node-2": 1}


def test_the_first_node_decides_which_nodes_exist_and_the_last_leaves_all_in_doubt(send):
    send(*gpu_pool(), *gpu_pool("node-2"))

    send(node("node-1"))

    assert [state("whole"), state("whole", "node-2")] == ["available", "unavailable"]

    send(node("node-2"))

    assert state("whole", "node-2") == "available"
    assert revisions() == {"node-1": 2, "node-2": 3}

    gone("Node", "node-1")

    assert state("whole") == "unavailable"

    gone("Node", "node-2")

    assert [state("whole"), state("whole", "node-2")] == ["available", "available"]


def test_a_change_of_labels_touches_no_pool(send):
    send(*gpu_pool(), node("node-1"))

    send(node("node-1", zone="a"))

    assert Node.objects.get(name="node-1").labels == {"zone": "a"}
    assert revisions() == {"node-1": 1}


def test_nodes_that_only_slices_name_come_and_go_with_them(send):
    send(*gpu_pool(), *gpu_pool("node-2"), node("node-2", zone="a"))
    assert dict(Node.objects.values_list("name", "observed")) == {"node-1": False, "node-2": True}

    gone("Node", "node-2")
    assert dict(Node.objects.values_list("name", "observed")) == {"node-1": False, "node-2": False}

    for index in (0, 1):
        gone("ResourceSlice", f"node-2-{index}")
    assert dict(Node.objects.values_list("name", "observed")) == {"node-1": False}


def test_a_pool_over_several_nodes_names_each(send):
    item = resource_slice(devices=[{"name": f"d{index}", "nodeName": f"host-{index}"} for index in range(3)])
    del item["spec"]["nodeName"]
    item["spec"]["perDeviceNodeSelection"] = True
    send(item)

    pool = Pool.objects.get()
    assert pool.node == ""
    assert [row.name for row in pool.nodes.all()] == ["host-0", "host-1", "host-2"]

    item["spec"]["devices"].pop()
    send(item)

    assert [row.name for row in Node.objects.all()] == ["host-0", "host-1"]


def test_a_pod_that_starts_to_use_a_claim_shows_behind_its_device(send):
    send(*gpu_pool(), claim("train", holds=[(DRIVER, "node-1", "half-0")]))

    send(pod("train-0", ("train",), node="node-1"))

    assert Counter.objects.get().holds[0]["claims"][0]["pods"] == ["ml/train-0"]

    send(pod("train-0", ("train",), node="node-1", phase="Succeeded"))

    assert Counter.objects.get().holds[0]["claims"][0]["pods"] == []


def test_a_pod_whose_status_alone_changed_touches_no_pool(send):
    send(*gpu_pool(), claim("train", holds=[(DRIVER, "node-1", "half-0")]), pod("p", ("train",), phase="Pending"))

    report = send(pod("p", ("train",), node="node-1", phase="Running"))

    assert report.summary["changed"] == 1
    assert revisions() == {"node-1": 1}
    assert Pod.objects.get().node == "node-1"


def test_a_pods_message_of_why_it_waits_is_kept(send):
    item = pod("p", ("train",), phase="Pending")
    item["status"]["conditions"] = [
        {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes are available"}
    ]
    send(item)

    assert Pod.objects.get().unschedulable == "0/3 nodes are available"


def test_a_pods_entries_are_its_claims_generated_ones_and_the_one_for_extended_resources(send):
    item = pod("p", ("own",))
    item["spec"]["resourceClaims"] += [
        {"name": "made", "resourceClaimTemplateName": "tpl"},
        {"name": "later", "resourceClaimTemplateName": "tpl"},
    ]
    item["status"] |= {
        "resourceClaimStatuses": [{"name": "made", "resourceClaimName": "p-made-x"}],
        "extendedResourceClaimStatus": {"resourceClaimName": "p-extended", "requestMappings": []},
    }
    send(item)

    assert list(PodClaim.objects.values_list("entry", "claim_name", "template")) == [
        ("c0", "own", ""),
        ("made", "p-made-x", "tpl"),
        ("later", "", "tpl"),
        ("(extended resources)", "p-extended", ""),
    ]


def test_findings_about_classes_follow_classes_and_claims(send):
    send(claim("a"), claim("b", device_class="other"))
    assert set(Finding.objects.values_list("code", "object")) == {
        ("device-class-missing", "gpu"),
        ("device-class-missing", "other"),
    }

    send(device_class())
    missing = Finding.objects.get()
    assert missing.object == "other"
    assert "there are gpu" in missing.message

    send(claim("b", holds=[(DRIVER, "p", "d")], pods=("x",)))
    assert not Finding.objects.filter(code="device-class-missing").exists()

    gone("DeviceClass", "gpu")
    assert Finding.objects.filter(code="device-class-missing", object="gpu").exists()


def test_findings_about_claims_hang_on_them_and_go_with_them(send):
    send(claim("left", holds=[(DRIVER, "node-1", "half-0")]), *gpu_pool())
    finding = Finding.objects.get(code="allocated-not-reserved")
    assert str(finding.claim) == "ml/left"

    gone("ResourceClaim", "left", "ml")

    assert not Finding.objects.filter(claim=None, pool=None).exists()
    assert not Finding.objects.filter(code="allocated-not-reserved").exists()


def test_the_first_pod_makes_claims_without_a_pod_stand_out(send):
    send(claim("waits"), device_class())
    assert not Finding.objects.exists()

    send(pod("unrelated"))
    assert Finding.objects.get().code == "claim-without-pod"

    gone("Pod", "unrelated", "ml")
    assert not Finding.objects.exists()


PROTOTYPE_POOL = """
apiVersion: resource.k8s.io/v1alpha3
kind: ResourcePool
metadata: {name: %s, creationTimestamp: "%s"}
spec:
  nodeName: node0
  driverName: gpu.example.com
  sharedCapacity: [{name: memory, capacity: 40Gi}]
  devices:
  - {name: gpu-0-half, sharedCapacityConsumed: [{name: memory, capacity: 20Gi}]}
"""
PROTOTYPE_CLAIM = """
apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaim
metadata: {name: old, namespace: ml}
spec: {requests: [{name: r, deviceClassName: gpu}]}
status:
  allocation:
    nodeName: node0
    driverData:
    - {driverName: gpu.example.com, data: {results: [{requestName: r, deviceName: gpu-0-half}]}}
  reservedFor: [{resource: pods, name: p, uid: u}]
"""


def send_yaml(text):
    report = publish(text.encode())
    assert report.summary["refused"] == 0, report


def consumed():
    return dict(Counter.objects.values_list("counter_set__pool__name", "consumed"))


def test_a_prototype_claim_finds_its_pool_whichever_comes_first(db):
    send_yaml(PROTOTYPE_CLAIM)
    held = Allocation.objects.get()
    assert (held.guessed, held.pool_name, held.pool) == (True, "", None)
    assert Finding.objects.filter(code="allocated-pool-not-published", object="gpu.example.com").exists()

    send_yaml(PROTOTYPE_POOL % ("first", "2024-06-01T00:00:00Z"))

    held.refresh_from_db()
    assert (held.pool_name, held.device.name) == ("first", "gpu-0-half")
    assert consumed() == {"first": "20Gi"}
    assert not Finding.objects.filter(code="allocated-pool-not-published").exists()


def test_a_prototype_claims_hold_moves_to_a_newer_pool_and_back(db):
    send_yaml(PROTOTYPE_CLAIM)
    send_yaml(PROTOTYPE_POOL % ("first", "2024-06-01T00:00:00Z"))

    send_yaml(PROTOTYPE_POOL % ("second", "2024-06-02T00:00:00Z"))
    assert consumed() == {"first": "0", "second": "20Gi"}

    gone("ResourcePool", "second")
    assert consumed() == {"first": "20Gi"}

    gone("ResourceClaim", "old", "ml")
    assert consumed() == {"first": "0"}
    assert not Finding.objects.filter(code="allocated-pool-not-published").exists()


def test_a_prototype_claim_on_another_node_takes_nothing(db):
    item = yaml.safe_load(PROTOTYPE_CLAIM)
    item["status"]["allocation"]["nodeName"] = "node1"
    send_yaml(yaml.safe_dump(item))

    send_yaml(PROTOTYPE_POOL % ("first", "2024-06-01T00:00:00Z"))

    assert consumed() == {"first": "0"}
