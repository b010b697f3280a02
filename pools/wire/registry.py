"""From an object's JSON to its noun: which decoder reads which kind, version and form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pools.domain.cluster import DomainObject
from pools.domain.errors import Undecodable
from pools.wire import corev1, prototype, prototype_claims, v1, v1_claims, v1alpha3, v1beta1, v1beta2
from pools.wire.fields import Raw, name, segment
from pools.wire.forms import FORMS, form_of
from pools.wire.identity import identify, label

__all__ = ["FORMS", "decode", "identify"]

GROUP = "resource.k8s.io"
_OLD_GROUP = "devmgmtproto.k8s.io"
_DIALECTS = {dialect.form: dialect for dialect in (v1.DIALECT, v1beta2.DIALECT, v1beta1.DIALECT, v1alpha3.DIALECT)}
_TAINT_RULES: dict[str, Callable[[Raw], DomainObject]] = {
    "v1": v1.taint_rule,
    "v1beta2": lambda raw: v1.taint_rule(raw, "v1beta2"),
    "v1alpha3": v1alpha3.taint_rule,
}
_PROTOTYPE_VERSION = "v1alpha2"
_ACCEPTED = (
    "ResourceSlice, ResourceClaim, ResourceClaimTemplate and DeviceClass of resource.k8s.io/v1, v1beta2, v1beta1 or "
    "v1alpha3, DeviceTaintRule of v1, v1beta2 or v1alpha3, v1 Pod and Node, and ResourcePool, DevicePool, claims and "
    "classes of the 2024 prototypes"
)


def decode(raw: Raw) -> DomainObject:
    """
    The noun for one object.

    Unknown fields are passed over; a field of the wrong type, a missing name and a quantity that is none are errors.
    The form is found by structure, see `forms.form_of`.

    Raises:
        Undecodable: the kind or form is not accepted, or something in the object is wrong; with reason, path, object.
    """
    try:
        return _decode(raw)
    except Undecodable as fault:
        raise Undecodable(fault.reason, fault.path, label(raw), fault.where) from None
    except RecursionError:
        raise Undecodable("nests too deeply", object=label(raw)) from None


def _decode(raw: Raw) -> DomainObject:
    if "kind" not in raw:
        _refuse(form_of(raw))
    kind = name(raw, "kind")
    group, _, version = name(raw, "apiVersion").rpartition("/")
    decoder = _DECODERS.get((group, kind))
    if decoder is None:
        raise _unknown(raw)
    return decoder(raw, version)


def _refuse(form: str) -> None:
    if form in FORMS and FORMS[form].remedy:
        raise Undecodable(f"form {form}, {FORMS[form].title}, is not accepted; {FORMS[form].remedy}")


def _unknown(raw: Raw) -> Undecodable:
    kind, version = (segment(str(raw[key])) for key in ("kind", "apiVersion"))
    return Undecodable(f"{version} {kind} is not accepted; accepted are {_ACCEPTED}")


def _slice(raw: Raw, version: str) -> DomainObject:
    """A pool or slice of any form: by structure, and by apiVersion where released versions look alike."""
    form = form_of(raw)
    _refuse(form)
    if form == "e2" and raw["kind"] == "ResourceSlice":
        form = "f0"
    if form in prototype.BAG_KEYS:
        return prototype.pool(raw, form)
    if raw["kind"] != "ResourceSlice" and form != "v1":
        return prototype.pool(raw, "00" if raw["kind"] == "DevicePool" else "e2")
    return v1.resource_slice(raw, _dialect(raw, version, _has_basic(raw)))


def _dialect(raw: Raw, version: str, older: bool) -> v1.Dialect:
    """The version's dialect; when the structure is *older* than the version says, the old one under the same name."""
    dialect = _DIALECTS.get(version)
    if dialect is None:
        raise _unknown(raw)
    if not older or dialect.body is v1beta1.body:
        return dialect
    return v1.Dialect(version, v1beta1.body, v1beta1.exact)


def _part(raw: Any, *keys: str) -> Any:
    for key in keys:
        raw = raw.get(key) if isinstance(raw, dict) else None
    return raw


def _has_basic(raw: Raw) -> bool:
    devices = _part(raw, "spec", "devices")
    return isinstance(devices, list) and any(isinstance(one, dict) and "basic" in one for one in devices)


def _has_flat_request(spec: Any) -> bool:
    requests = _part(spec, "devices", "requests")
    return isinstance(requests, list) and any(isinstance(one, dict) and "deviceClassName" in one for one in requests)


def _is_prototype(spec: Any, status: Any, version: str) -> bool:
    """The prototype's claims ask right under spec and are answered by driver; released ones do both under devices."""
    if _part(spec, "devices") is not None or _part(status, "allocation", "devices") is not None:
        return False
    asked = any(_part(spec, key) is not None for key in ("requests", "constraints", "config", "shareable"))
    answered = any(_part(status, "allocation", key) is not None for key in ("driverData", "nodeName", "results"))
    return asked or answered or version == _PROTOTYPE_VERSION


def _claim(raw: Raw, version: str) -> DomainObject:
    spec = raw.get("spec")
    _refuse_classic(spec)
    if _is_prototype(spec, raw.get("status"), version):
        return prototype_claims.claim(raw)
    return v1_claims.claim(raw, _dialect(raw, version, _has_flat_request(spec)))


def _template(raw: Raw, version: str) -> DomainObject:
    spec = _part(raw, "spec", "spec")
    _refuse_classic(spec)
    if _is_prototype(spec, None, version):
        return prototype_claims.template(raw)
    return v1_claims.template(raw, _dialect(raw, version, _has_flat_request(spec)))


def _refuse_classic(spec: Any) -> None:
    if _part(spec, "resourceClassName") is not None:
        raise Undecodable(
            "claims by resourceClassName (Kubernetes 1.26 to 1.30) are not accepted; publish resource.k8s.io/v1 claims",
            "spec.resourceClassName",
        )


def _class(raw: Raw, version: str) -> DomainObject:
    if raw.get("spec") is None and (version == _PROTOTYPE_VERSION or "requirements" in raw):
        return prototype_claims.device_class(raw)
    return v1.device_class(raw, _dialect(raw, version, older=False).form)


def _taint_rule(raw: Raw, version: str) -> DomainObject:
    if version not in _TAINT_RULES:
        raise _unknown(raw)
    return _TAINT_RULES[version](raw)


def _core(decoder: Callable[[Raw], DomainObject]) -> Callable[[Raw, str], DomainObject]:
    def check_version(raw: Raw, version: str) -> DomainObject:
        if raw["apiVersion"] != "v1":
            raise _unknown(raw)
        return decoder(raw)

    return check_version


_DECODERS: dict[tuple[str, str], Callable[[Raw, str], DomainObject]] = {
    (GROUP, "ResourceSlice"): _slice,
    (GROUP, "ResourcePool"): _slice,
    (GROUP, "DevicePool"): _slice,
    (_OLD_GROUP, "DevicePool"): _slice,
    (_OLD_GROUP, "ResourcePool"): _slice,
    (GROUP, "ResourceClaim"): _claim,
    (GROUP, "ResourceClaimTemplate"): _template,
    (GROUP, "DeviceClass"): _class,
    (GROUP, "DeviceTaintRule"): _taint_rule,
    (GROUP, "Pod"): lambda raw, _: corev1.pod(raw),
    ("", "Pod"): _core(corev1.pod),
    ("", "Node"): _core(corev1.node),
}
