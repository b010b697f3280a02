"""The selector language of resource.k8s.io as declarations for the CEL engine: variables, types and functions."""

from __future__ import annotations

QUANTITY, SEMVER, IP, CIDR, URL, FORMAT = (
    "kubernetes.Quantity",
    "kubernetes.Semver",
    "net.IP",
    "net.CIDR",
    "kubernetes.URL",
    "kubernetes.NamedFormat",
)
VARIABLES = {
    "device.driver": "string",
    "device.allowMultipleAllocations": "bool",
    "device.attributes": "map<string,map<string,dyn>>",
    "device.capacity": f"map<string,map<string,{QUANTITY}>>",
}
PROTOTYPE_VARIABLES = {
    "device.driverName": "string",
    "device.attributes": "map<string,dyn>",
    "device.stringAttributes": "map<string,string>",
    "device.boolAttributes": "map<string,bool>",
    "device.quantityAttributes": f"map<string,{QUANTITY}>",
    "device.versionAttributes": f"map<string,{SEMVER}>",
}
"""What selectors of the 2024 prototype may look at: attributes by full name, in one map for each type."""


def fields(prototype: bool) -> frozenset[str]:
    """What `device` has."""
    return frozenset(name.removeprefix("device.") for name in (PROTOTYPE_VARIABLES if prototype else VARIABLES))


EXTENSIONS = (("bindings", None), ("optional", None), ("lists", 2), ("sets", None), ("two-var-comprehensions", None))
"""What the engine brings along; the rest is declared below. The engine's `strings` clashes with Kubernetes' indexOf."""

REPLACED = ("_<_", "_<=_", "_>_", "_>=_", "string")
"""Standard functions that Kubernetes declares with more overloads than the engine does."""

_COMPARABLE = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
_NUMBERS = ("int", "uint", "double")


def _ordering() -> list[str]:
    """Comparisons of one type, and of numbers of different types (Kubernetes 1.28 and later)."""
    pairs = [(kind, kind) for kind in _COMPARABLE]
    pairs += [(a, b) for a in _NUMBERS for b in _NUMBERS if a != b]
    return [f"{operator}({a},{b}) -> bool" for operator in REPLACED[:4] for a, b in pairs]


def _over(kinds: tuple[str, ...], pattern: str) -> list[str]:
    return [pattern.replace("T", kind) for kind in kinds]


_STRINGS = """
string.charAt(int) -> string
string.indexOf(string) -> int
string.indexOf(string,int) -> int
string.lastIndexOf(string) -> int
string.lastIndexOf(string,int) -> int
string.lowerAscii() -> string
string.upperAscii() -> string
string.replace(string,string) -> string
string.replace(string,string,int) -> string
string.split(string) -> list<string>
string.split(string,int) -> list<string>
string.substring(int) -> string
string.substring(int,int) -> string
string.trim() -> string
string.format(list<dyn>) -> string
list<string>.join() -> string
list<string>.join(string) -> string
strings.quote(string) -> string
string.find(string) -> string
string.findAll(string) -> list<string>
string.findAll(string,int) -> list<string>
""".splitlines()

_LISTS = [
    *_over(_COMPARABLE, "list<T>.isSorted() -> bool"),
    *_over(_COMPARABLE, "list<T>.min() -> T"),
    *_over(_COMPARABLE, "list<T>.max() -> T"),
    *_over(("int", "uint", "double", "duration"), "list<T>.sum() -> T"),
    "list<~A>.indexOf(~A) -> int",
    "list<~A>.lastIndexOf(~A) -> int",
]
LIST_ATTRIBUTES = ["dyn.includes(dyn) -> bool"]
"""Since 1.36."""

_QUANTITIES = f"""
quantity(string) -> {QUANTITY}
isQuantity(string) -> bool
sign({QUANTITY}) -> int
{QUANTITY}.isGreaterThan({QUANTITY}) -> bool
{QUANTITY}.isLessThan({QUANTITY}) -> bool
{QUANTITY}.compareTo({QUANTITY}) -> int
{QUANTITY}.asApproximateFloat() -> double
{QUANTITY}.asInteger() -> int
{QUANTITY}.isInteger() -> bool
{QUANTITY}.add({QUANTITY}) -> {QUANTITY}
{QUANTITY}.add(int) -> {QUANTITY}
{QUANTITY}.sub({QUANTITY}) -> {QUANTITY}
{QUANTITY}.sub(int) -> {QUANTITY}
semver(string) -> {SEMVER}
semver(string,bool) -> {SEMVER}
isSemver(string) -> bool
isSemver(string,bool) -> bool
{SEMVER}.isGreaterThan({SEMVER}) -> bool
{SEMVER}.isLessThan({SEMVER}) -> bool
{SEMVER}.compareTo({SEMVER}) -> int
{SEMVER}.major() -> int
{SEMVER}.minor() -> int
{SEMVER}.patch() -> int
""".splitlines()

_NET = f"""
ip(string) -> {IP}
isIP(string) -> bool
ip.isCanonical(string) -> bool
{IP}.family() -> int
{IP}.isUnspecified() -> bool
{IP}.isLoopback() -> bool
{IP}.isLinkLocalMulticast() -> bool
{IP}.isLinkLocalUnicast() -> bool
{IP}.isGlobalUnicast() -> bool
cidr(string) -> {CIDR}
isCIDR(string) -> bool
{CIDR}.containsIP(string) -> bool
{CIDR}.containsIP({IP}) -> bool
{CIDR}.containsCIDR(string) -> bool
{CIDR}.containsCIDR({CIDR}) -> bool
{CIDR}.ip() -> {IP}
{CIDR}.prefixLength() -> int
{CIDR}.masked() -> {CIDR}
url(string) -> {URL}
isURL(string) -> bool
{URL}.getScheme() -> string
{URL}.getHost() -> string
{URL}.getHostname() -> string
{URL}.getPort() -> string
{URL}.getEscapedPath() -> string
{URL}.getQuery() -> map<string,list<string>>
""".splitlines()

_FORMATS = [
    f"{FORMAT}.validate(string) -> optional_type<list<string>>",
    f"format.named(string) -> optional_type<{FORMAT}>",
    *(
        f"format.{name}() -> {FORMAT}"
        for name in (
            "dns1123Label",
            "dns1123Subdomain",
            "dns1035Label",
            "qualifiedName",
            "dns1123LabelPrefix",
            "dns1123SubdomainPrefix",
            "dns1035LabelPrefix",
            "labelValue",
            "uri",
            "uuid",
            "byte",
            "date",
            "datetime",
        )
    ),
]
_TEXT = _over(
    ("bool", "bytes", "double", "duration", "int", "string", "timestamp", "uint", IP, CIDR), "string(T) -> string"
)
NAMESPACES = ("strings", "ip", "format")
"""Prefixes of functions, not receivers."""


def _declaration(line: str) -> tuple[str, str, str]:
    """(function, signature as the engine writes it, return type)."""
    call, _, result = line.partition(" -> ")
    head, _, args = call.partition("(")
    if head in REPLACED[:4]:
        return head, f"_\\\\{head[1:]}({args}", result
    namespace, dot, name = head.rpartition(".")
    if dot and namespace in NAMESPACES:
        return head, f"{namespace}\\\\.{name}({args}", result
    return name, call, result


def environment(list_attributes: bool = True, prototype: bool = False) -> str:
    """The whole environment as the engine's YAML, of resource.k8s.io or of the 2024 prototype."""
    lines = [*_ordering(), *_TEXT, *_STRINGS, *_LISTS, *_QUANTITIES, *_NET, *_FORMATS]
    lines += LIST_ATTRIBUTES if list_attributes else []
    functions: dict[str, list[tuple[str, str, str]]] = {}
    for line in filter(None, lines):
        name, signature, result = _declaration(line)
        functions.setdefault(name, []).append((line.partition(" -> ")[0], signature, result))
    out = ["name: resource.k8s.io", "stdlib:", "  exclude_functions:"]
    out += [f'  - name: "{name}"' for name in REPLACED]
    out.append("extensions:")
    for name, version in EXTENSIONS:
        out.append(f"- name: {name}")
        out += [] if version is None else [f"  version: {version}"]
    out.append("variables:")
    variables = PROTOTYPE_VARIABLES if prototype else VARIABLES
    out += [f'- name: {name}\n  type: "{kind}"' for name, kind in variables.items()]
    out.append("functions:")
    for name, overloads in functions.items():
        out += [f'- name: "{name}"', "  overloads:"]
        for id, signature, result in overloads:
            out += [f'  - id: "{id}"', f'    signature: "{signature}"', f'    return: "{result}"']
    return "\n".join(out)
