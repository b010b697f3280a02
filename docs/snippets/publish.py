"""Publish a pool from a driver. DRA_URL and DRA_TOKEN come from the environment."""

import json
import os
import urllib.request

DRIVER, NODE = "gpu.example.com", "node-7"


def counters(memory: str) -> dict:
    return {"memory": {"value": memory}}


def slice_(index: int, body: dict) -> dict:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": f"{index:02x}-{DRIVER}-{NODE}"},
        "spec": {
            "driver": DRIVER,
            "nodeName": NODE,
            "pool": {"name": NODE, "generation": 1, "resourceSliceCount": 2},
            **body,
        },
    }


def device(name: str, memory: str) -> dict:
    return {
        "name": name,
        "attributes": {"profile": {"string": name.split("-")[0]}},
        "consumesCounters": [{"counterSet": "gpu-0", "counters": counters(memory)}],
    }


slices = [
    slice_(0, {"sharedCounters": [{"name": "gpu-0", "counters": counters("80Gi")}]}),
    slice_(1, {"devices": [device("half-0", "40Gi"), device("half-1", "40Gi"), device("whole", "80Gi")]}),
]
request = urllib.request.Request(
    f"{os.environ['DRA_URL']}/api/v1/publish/?replace={DRIVER}/{NODE}",
    data=json.dumps(slices).encode(),
    headers={"Authorization": f"Bearer {os.environ['DRA_TOKEN']}", "Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as response:  # an HTTP error raises, and its body says which object and why
    print(json.load(response)["summary"])
