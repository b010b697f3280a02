"""What-if questions as texts: the one vocabulary that addresses, JSON documents, commands and saved scenarios share."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlencode

from pools.core.whatif import Scenario
from pools.domain.cluster import DomainObject
from pools.domain.device import Taint
from pools.domain.errors import ScenarioError, Undecodable
from pools.domain.ids import ClaimId, DeviceId, PoolId
from pools.wire.documents import Limits, read
from pools.wire.registry import decode

T = TypeVar("T")
MOST = 100
"""Values of one part."""
MOST_COPIES = 100
LONGEST = 1_100
MOST_TEXT = 4 * 2**20
"""Bytes of pasted objects."""
PACKED = 2_000
"""Characters of packed objects that an address may carry; longer ones are kept, and named in it."""
KEPT = "kept-"
"""Begins the names of objects that are kept."""
LISTS = ("claim", "pod", "template", "selector", "release", "drain", "taint", "untaint", "grow")
SINGLES = ("cluster", "class", "type", "count", "copies", "swap", "objects", "pool", "card", "layout", "emptied")
KEYS = (*LISTS, *SINGLES)
EFFECTS = ("NoSchedule", "NoExecute", "None")
_ENTRY = re.compile(r"(\d{1,6})\s*[x×*]?\s*(\S.*)", re.DOTALL)

Values = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Plain:
    """A claim made up of a class, a type or selectors, and a number of devices."""

    device_class: str
    type: str = ""
    count: int = 1
    selectors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LayoutAsk:
    """A whole layout on one card, on top of what is there or as if it were empty."""

    pool: PoolId
    card: str
    wanted: tuple[tuple[str, int], ...]
    emptied: bool = False


@dataclass(frozen=True, slots=True)
class Inquiry:
    """
    One what-if: a scenario, and what is asked in it. `values` are the texts that it was read from, without empty ones.
    """

    cluster: str = ""
    scenario: Scenario = field(default_factory=Scenario)
    claims: tuple[ClaimId, ...] = ()
    pods: tuple[ClaimId, ...] = ()
    templates: tuple[ClaimId, ...] = ()
    plain: Plain | None = None
    copies: int = 1
    layout: LayoutAsk | None = None
    values: Values = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is changed and nothing asked."""
        return not set(self.values) - {"cluster", "copies", "count", "emptied"}


def read_values(values: Values) -> Inquiry:
    """
    Understand a what-if.

    Args:
        values: the texts of each part, see KEYS; empty texts count as absent.

    Raises:
        ScenarioError: naming the part, as in `taint[1]`, and what is wrong with it.
    """
    given = {key: [text for text in texts if text.strip()] for key, texts in values.items()}
    given = {key: texts for key, texts in given.items() if texts}
    _check(given)
    return Inquiry(
        cluster=_one(given, "cluster"),
        scenario=Scenario(
            objects=_objects(_one(given, "objects")),
            swap=_single(given, "swap", _pool),
            grow=_each(given, "grow", _grow),
            untaint=_each(given, "untaint", _device),
            taint=_each(given, "taint", _taint),
            release=_each(given, "release", _named),
            drain=tuple(given.get("drain", ())),
        ),
        claims=_each(given, "claim", _named),
        pods=_each(given, "pod", _named),
        templates=_each(given, "template", _named),
        plain=_plain(given),
        copies=_number(given, "copies", MOST_COPIES),
        layout=_layout(given),
        values=given,
    )


def read_json(document: Any) -> Inquiry:
    """
    Understand a what-if in JSON: an object of the same parts, numbers and lists where they make sense.

    Raises:
        ScenarioError: see `read_values`; also for a part that is not known or of the wrong type.
    """
    if not isinstance(document, Mapping):
        raise ScenarioError("", "give a JSON object")
    values: dict[str, list[str]] = {}
    for key, value in document.items():
        if key not in KEYS:
            raise ScenarioError(str(key), f"not a part of a what-if; there are {', '.join(KEYS)}")
        if value is None:
            continue
        if key == "objects":
            values[key] = [value if isinstance(value, str) else json.dumps(value)]
        elif isinstance(value, list):
            values[key] = [_text(each, f"{key}[{index}]") for index, each in enumerate(value)]
        else:
            values[key] = [_text(value, key)]
    return read_values(values)


def as_json(inquiry: Inquiry) -> dict[str, Any]:
    """The document of a what-if: `read_json` gives the same what-if again."""
    return {key: list(texts) if key in LISTS else texts[0] for key, texts in inquiry.values.items()}


def as_query(inquiry: Inquiry, **changed: Sequence[str]) -> str:
    """
    The query string of a what-if, objects packed.

    Args:
        changed: parts that get other values; an empty list leaves a part out.
    """
    values = {**inquiry.values, **changed}
    pairs = [(key, text) for key in KEYS if key != "objects" for text in values.get(key, ())]
    pairs += [("doc", doc_of(text)) for text in values.get("objects", ())]
    return urlencode(pairs)


def doc_of(text: str) -> str:
    """How an address names pasted objects: packed, or, where that is too long, by the name they are kept under."""
    packed = pack(text)
    return packed if len(packed) <= PACKED else f"{KEPT}{hashlib.sha256(text.encode()).hexdigest()[:24]}"


def pack(text: str) -> str:
    """Pasted objects as a short text for an address."""
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def unpack(packed: str) -> str:
    """
    What was packed.

    Raises:
        ScenarioError: it was not packed here, or is larger than anything that may be.
    """
    try:
        raw = base64.b64decode(packed + "=" * (-len(packed) % 4), altchars=b"-_", validate=True)
        stream = zlib.decompressobj()
        data = stream.decompress(raw, MOST_TEXT)
        if stream.unconsumed_tail or not stream.eof:
            raise ScenarioError("doc", f"is cut off, or holds more than {MOST_TEXT // 2**20} MiB")
        return data.decode()
    except (binascii.Error, zlib.error, UnicodeDecodeError, ValueError):
        raise ScenarioError("doc", "is not what this dashboard makes; it was cut or changed on the way") from None


def _check(given: Values) -> None:
    for key, texts in given.items():
        if key not in KEYS:
            raise ScenarioError(key, f"not a part of a what-if; there are {', '.join(KEYS)}")
        most = MOST if key in LISTS else 1
        if len(texts) > most:
            raise ScenarioError(key, f"at most {most} can be given, not {len(texts)}")
        for index, text in enumerate(texts):
            longest = MOST_TEXT if key == "objects" else LONGEST
            if len(text) > longest or "\x00" in text:
                raise ScenarioError(f"{key}[{index}]", f"more than {longest} characters, or none that text could have")


def _text(value: Any, path: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | str):
        return str(value)
    raise ScenarioError(path, f"give a text, not {type(value).__name__}")


def _one(given: Values, key: str) -> str:
    return given[key][0] if key in given else ""


def _single(given: Values, key: str, understand: Callable[[str, str], T]) -> T | None:
    return understand(given[key][0].strip(), key) if key in given else None


def _each(given: Values, key: str, understand: Callable[[str, str], T]) -> tuple[T, ...]:
    found = (understand(text.strip(), f"{key}[{index}]") for index, text in enumerate(given.get(key, ())))
    return tuple(dict.fromkeys(found))


def _number(given: Values, key: str, most: int) -> int:
    text = _one(given, key).strip() or "1"
    if not (text.isascii() and text.isdecimal() and len(text) < 9 and 1 <= int(text) <= most):
        raise ScenarioError(key, f"give a whole number from 1 to {most}")
    return int(text)


def _named(text: str, path: str) -> ClaimId:
    namespace, _, name = text.partition("/")
    if not namespace or not name:
        raise ScenarioError(path, f"give namespace/name, not {text!r}")
    return ClaimId(namespace, name)


def _pool(text: str, path: str) -> PoolId:
    driver, _, name = text.partition("/")
    if not driver or not name:
        raise ScenarioError(path, f"give driver/pool, not {text!r}")
    return PoolId(driver, name)


def _device(text: str, path: str) -> DeviceId:
    rest, _, name = text.rpartition("/")
    driver, _, pool = rest.partition("/")
    if not driver or not pool or not name:
        raise ScenarioError(path, f"give driver/pool/device, not {text!r}")
    return DeviceId(driver, pool, name)


def _taint(text: str, path: str) -> tuple[DeviceId, Taint]:
    """`driver/pool/device`, or with `=key:Effect` or `=key=value:Effect` behind it."""
    device, _, rest = text.partition("=")
    key, _, effect = (rest or "what-if:NoSchedule").partition(":")
    effect = effect or "NoSchedule"
    if effect not in EFFECTS:
        raise ScenarioError(path, f"the effect is one of {', '.join(EFFECTS)}, not {effect!r}")
    key, _, value = key.partition("=")
    return _device(device, path), Taint(key, value, effect)


def _grow(text: str, path: str) -> tuple[str, int]:
    """`node`, or `node:number`."""
    node, _, number = text.partition(":")
    return node, _number({path: [number]} if number else {}, path, 10_000)


def _plain(given: Values) -> Plain | None:
    if "class" not in given:
        for key in ("type", "selector"):
            if key in given:
                raise ScenarioError(key, "needs a class")
        return None
    return Plain(
        _one(given, "class").strip(),
        _one(given, "type"),
        _number(given, "count", 1_000),
        tuple(given.get("selector", ())),
    )


def _layout(given: Values) -> LayoutAsk | None:
    if "layout" not in given:
        return None
    pool, card = _single(given, "pool", _pool), _one(given, "card")
    if pool is None or not card:
        raise ScenarioError("layout", "needs a pool and a card")
    return LayoutAsk(pool, card, layout_of(_one(given, "layout")), _one(given, "emptied") in ("true", "1", "on", "yes"))


def layout_of(text: str) -> tuple[tuple[str, int], ...]:
    """
    `4 × 1g.10gb + 3 × 1g.5gb`, also with x or * for ×, and commas or new lines between the entries.

    Raises:
        ScenarioError: an entry is no number and type.
    """
    entries = [entry.strip() for entry in re.split(r"[,;\n]|\s\+\s(?=\d)", text.strip())]
    found = []
    for entry in entries:
        match = _ENTRY.fullmatch(entry)
        if match is None:
            raise ScenarioError("layout", f"give a number and a type, as in 3 × 1g.5gb, not {entry!r}")
        found.append((match[2], int(match[1])))
    return tuple(found)


def _objects(text: str) -> tuple[DomainObject, ...]:
    if not text:
        return ()
    try:
        documents = read(text.encode(), source="objects", limits=Limits(max_bytes=MOST_TEXT))
        return tuple(_decoded(documents))
    except Undecodable as fault:
        raise ScenarioError(fault.where or "objects", _told(fault)) from None


def _decoded(documents: Iterable[Any]) -> Iterable[DomainObject]:
    for document in documents:
        if isinstance(document, Undecodable):
            raise document
        try:
            yield decode(document.raw)
        except Undecodable as fault:
            raise Undecodable(fault.reason, fault.path, fault.object, document.where) from None


def _told(fault: Undecodable) -> str:
    return ": ".join(part for part in (fault.object, fault.path, fault.reason) if part)
