"""A real control plane on loopback: etcd, API server, scheduler, controller manager; no kubelet, no network."""

from __future__ import annotations

import base64
import json
import os
import ssl
import subprocess
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any

from .build import program
from .processes import Process, free_port, wait_until

Json = dict[str, Any]

# Every gate of dynamic resource allocation in 1.37 but DRAWorkloadResourceClaims, which needs the Workload API.
GATES = (
    *("DRAAdminAccess", "DRAConsumableCapacity", "DRADerivedAttributes", "DRADeviceBindingConditions"),
    *("DRADeviceCompatibilityGroups", "DRADeviceTaintRules", "DRADeviceTaints", "DRAExtendedResource"),
    *("DRAFractionalCapacityRange", "DRAListTypeAttributes", "DRANodeAllocatableResources"),
    *("DRAOptionalNodeOperations", "DRAPartitionableDevices", "DRAPartitionableDevicesType", "DRAPrioritizedList"),
    *("DRAResourceClaimDeviceStatus", "DRAResourceClaimGranularStatusAuthorization", "DRAResourcePoolStatus"),
    *("DRASchedulerFilterTimeout", "DynamicResourceAllocation"),
)
VERSIONS = ("v1", "v1beta2", "v1beta1", "v1alpha3")
_CLIENTS = {
    "admin": "admin/system:masters",
    "kube-scheduler": "system:kube-scheduler",
    "kube-controller-manager": "system:kube-controller-manager",
    "etcd-client": "apiserver",
}
READY_SECONDS = 120.0


class ControlPlane:
    """
    Use as a context manager; everything is started on entry and gone on exit.

    Args:
        gates: feature gates that are switched from what `GATES` says (all of them on).
        versions: versions of resource.k8s.io that are served.
    """

    def __init__(self, *, gates: dict[str, bool] | None = None, versions: Iterable[str] = VERSIONS) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="dra-cluster-")
        self.folder = Path(self._temporary.name)
        self.pki = self.folder / "pki"
        self.kubeconfig = self.folder / "admin.kubeconfig"
        switches = {gate: True for gate in GATES} | (gates or {})
        self._gates = ",".join(f"{gate}={str(on).lower()}" for gate, on in switches.items())
        self._versions = ",".join(f"resource.k8s.io/{version}=true" for version in versions)
        self._ports = {name: free_port() for name in ("etcd", "peer", "api", "scheduler", "manager")}
        self.processes: dict[str, Process] = {}

    @property
    def url(self) -> str:
        """Where the API server is."""
        return f"https://127.0.0.1:{self._ports['api']}"

    def __enter__(self) -> ControlPlane:
        try:
            self._write_certificates()
            for name, command in self._commands().items():
                self.processes[name] = Process(name, command, self.folder / f"{name}.log")
                self.start(name)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """End all processes, the last started first, and delete their data."""
        for process in reversed(self.processes.values()):
            process.stop()
        self._temporary.cleanup()

    def start(self, name: str) -> None:
        """Start one component and wait until it says it is ready."""
        process = self.processes[name]
        process.start()
        page = {
            "etcd": f"https://127.0.0.1:{self._ports['etcd']}/health",
            "kube-apiserver": f"{self.url}/readyz",
            "kube-scheduler": f"https://127.0.0.1:{self._ports['scheduler']}/readyz",
            "kube-controller-manager": f"https://127.0.0.1:{self._ports['manager']}/healthz",
        }[name]
        own = name in ("etcd", "kube-apiserver")
        process.wait_for_page(page, self._trust() if own else _no_trust(), READY_SECONDS)

    def restart(self, name: str, *, kill: bool = False) -> None:
        """Stop one component, by SIGKILL if wanted, and start it again."""
        self.processes[name].stop(kill=kill)
        self.start(name)

    def kubectl(self, *args: str, stdin: str | None = None, check: bool = True) -> str:
        """Standard output of real kubectl as the cluster's administrator; an error has its standard error."""
        command = [str(program("kubectl")), f"--kubeconfig={self.kubeconfig}", *args]
        environment = {**os.environ, "HOME": str(self.folder)}
        done = subprocess.run(
            command, input=stdin, capture_output=True, text=True, env=environment, timeout=60, check=False
        )
        if check and done.returncode:
            raise RuntimeError(f"kubectl {' '.join(args)}: {done.stderr.strip()}")
        return done.stdout

    def apply(self, *objects: Json) -> None:
        """Create or change objects; a status is written as well."""
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
        self.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", stdin=text)
        with_status = [each for each in objects if "status" in each]
        if with_status:
            text = json.dumps({"apiVersion": "v1", "kind": "List", "items": with_status})
            self.kubectl("apply", "--server-side", "--force-conflicts", "--subresource=status", "-f", "-", stdin=text)

    def get(self, kind: str, name: str, namespace: str = "default") -> Json:
        """One object as JSON."""
        found: Json = json.loads(self.kubectl("get", kind, name, "-n", namespace, "-o", "json"))
        return found

    def list(self, kind: str, *args: str) -> list[Json]:
        """The objects of a kind in all namespaces."""
        items: list[Json] = json.loads(self.kubectl("get", kind, "-A", "-o", "json", *args))["items"]
        return items

    def request(self, method: str, path: str, body: Json | None = None) -> tuple[int, Json]:
        """Status code and answer of one request to the API server as administrator; much faster than kubectl."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, context=self._trust(), timeout=30) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def wait_for_namespace(self, name: str = "default") -> None:
        """Wait until objects can be created in it."""
        wait_until(lambda: self.kubectl("get", "namespace", name, check=False), 30, f"namespace {name}")

    def compact(self) -> int:
        """Compact etcd at its newest revision, so that older watches end with 410; returns the revision."""
        found = self._etcd("/v3/kv/range", {"key": base64.b64encode(b"/").decode()})
        revision = int(found["header"]["revision"])
        self._etcd("/v3/kv/compaction", {"revision": revision, "physical": True})
        return revision

    def _etcd(self, path: str, body: Json) -> Json:
        url = f"https://127.0.0.1:{self._ports['etcd']}{path}"
        request = urllib.request.Request(url, data=json.dumps(body).encode(), method="POST")
        with urllib.request.urlopen(request, context=self._trust(), timeout=10) as answer:
            found: Json = json.load(answer)
            return found

    def _trust(self) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=self.pki / "ca.crt")
        context.load_cert_chain(self.pki / "admin.crt", self.pki / "admin.key")
        return context

    def _write_certificates(self) -> None:
        self.pki.mkdir(mode=0o700)
        wanted = [f"{name}={subject}" for name, subject in _CLIENTS.items()]
        subprocess.run([program("certs"), self.pki, "etcd", "kube-apiserver", *wanted], check=True)
        self.kubeconfig.write_text(self.config_for("admin"))
        for name in ("kube-scheduler", "kube-controller-manager"):
            (self.folder / f"{name}.kubeconfig").write_text(self.config_for(name))
        (self.folder / "scheduler.json").write_text(json.dumps(self._scheduler_settings()))

    def config_for(self, client: str, *, token: str | None = None) -> str:
        """A kubeconfig for one of the client certificates, or for a bearer token."""
        user = (
            {"token": token}
            if token
            else {"client-certificate": f"{self.pki}/{client}.crt", "client-key": f"{self.pki}/{client}.key"}
        )
        cluster = {"server": self.url, "certificate-authority": f"{self.pki}/ca.crt"}
        context = {"cluster": "test", "user": client}
        return json.dumps(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "clusters": [{"name": "test", "cluster": cluster}],
                "users": [{"name": client, "user": user}],
                "contexts": [{"name": "test", "context": context}],
                "current-context": "test",
            }
        )

    def _scheduler_settings(self) -> Json:
        return {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "leaderElection": {"leaderElect": False},
            "clientConnection": {"kubeconfig": f"{self.folder}/kube-scheduler.kubeconfig", "qps": 500, "burst": 1000},
            "podInitialBackoffSeconds": 1,
            "podMaxBackoffSeconds": 2,
        }

    def _commands(self) -> dict[str, list[str]]:
        """In the order of their start."""
        return {
            "etcd": [str(program("etcd")), *self._etcd_flags()],
            "kube-apiserver": [str(program("kube-apiserver")), *self._apiserver_flags()],
            "kube-controller-manager": [str(program("kube-controller-manager")), *self._manager_flags()],
            "kube-scheduler": [str(program("kube-scheduler")), *self._scheduler_flags()],
        }

    def _etcd_flags(self) -> list[str]:
        here, peer = (f"https://127.0.0.1:{self._ports[name]}" for name in ("etcd", "peer"))
        files = [
            f"--cert-file={self.pki}/etcd.crt",
            f"--key-file={self.pki}/etcd.key",
            f"--trusted-ca-file={self.pki}/ca.crt",
        ]
        peer_files = [flag.replace("--", "--peer-", 1) for flag in files]
        return [
            *files,
            *peer_files,
            "--client-cert-auth",
            f"--data-dir={self.folder}/etcd",
            f"--listen-client-urls={here}",
            f"--advertise-client-urls={here}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=default={peer}",
            "--unsafe-no-fsync",
            "--log-level=warn",
        ]

    def _apiserver_flags(self) -> list[str]:
        return [
            f"--etcd-servers=https://127.0.0.1:{self._ports['etcd']}",
            f"--etcd-cafile={self.pki}/ca.crt",
            f"--etcd-certfile={self.pki}/etcd-client.crt",
            f"--etcd-keyfile={self.pki}/etcd-client.key",
            "--bind-address=127.0.0.1",
            f"--secure-port={self._ports['api']}",
            f"--tls-cert-file={self.pki}/kube-apiserver.crt",
            f"--tls-private-key-file={self.pki}/kube-apiserver.key",
            f"--client-ca-file={self.pki}/ca.crt",
            f"--service-account-issuer={self.url}",
            f"--service-account-key-file={self.pki}/service-accounts.pub",
            f"--service-account-signing-key-file={self.pki}/service-accounts.key",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--endpoint-reconciler-type=none",
            "--authorization-mode=RBAC",
            # Nobody reports the nodes ready, and pods need no token: these two would keep pods from being scheduled.
            "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
            f"--runtime-config={self._versions}",
            f"--feature-gates={self._gates}",
        ]

    def _manager_flags(self) -> list[str]:
        config = f"{self.folder}/kube-controller-manager.kubeconfig"
        return [
            f"--kubeconfig={config}",
            f"--authentication-kubeconfig={config}",
            f"--authorization-kubeconfig={config}",
            "--bind-address=127.0.0.1",
            f"--secure-port={self._ports['manager']}",
            f"--cert-dir={self.folder}/manager",
            "--leader-elect=false",
            # Nodes here have no kubelet, so nothing may conclude from its silence.
            "--controllers=*,-node-lifecycle-controller",
            f"--service-account-private-key-file={self.pki}/service-accounts.key",
            f"--root-ca-file={self.pki}/ca.crt",
            f"--feature-gates={self._gates}",
        ]

    def _scheduler_flags(self) -> list[str]:
        config = f"{self.folder}/kube-scheduler.kubeconfig"
        return [
            f"--config={self.folder}/scheduler.json",
            f"--authentication-kubeconfig={config}",
            f"--authorization-kubeconfig={config}",
            "--bind-address=127.0.0.1",
            f"--secure-port={self._ports['scheduler']}",
            f"--cert-dir={self.folder}/scheduler",
            f"--feature-gates={self._gates}",
        ]


def _no_trust() -> ssl.SSLContext:
    """For health pages of components that sign their own certificate."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
