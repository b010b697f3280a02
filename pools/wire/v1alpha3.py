"""resource.k8s.io/v1alpha3 (1.31 to 1.33, taint rules to 1.38): capacity without `value`, older taint selectors."""

from __future__ import annotations

from pools.domain.claim import TaintRule
from pools.domain.errors import Undecodable
from pools.wire import v1, v1beta1
from pools.wire.fields import Raw, child, inside

DIALECT = v1.Dialect("v1alpha3", v1beta1.body, v1beta1.exact, plain_capacity=True, admin_by_request=True)


def taint_rule(raw: Raw) -> TaintRule:
    """
    A DeviceTaintRule.

    Raises:
        Undecodable: it selects by deviceClassName or CEL, as only 1.33 and 1.34 did. Later servers drop these fields,
            which makes the rule match more than was meant: better said than guessed.
    """
    inside(raw, "spec", _refuse_old_selectors)
    return v1.taint_rule(raw, "v1alpha3")


def _refuse_old_selectors(spec: Raw) -> None:
    selector = child(spec, "deviceSelector")
    for key in ("deviceClassName", "selectors"):
        if selector.get(key):
            raise Undecodable(
                "only 1.33 and 1.34 select tainted devices this way; select by driver, pool or device instead",
                f"deviceSelector.{key}",
            )
