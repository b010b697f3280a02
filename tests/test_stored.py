"""Stored objects: packed without loss, decoded once, and no more of them kept than is good."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pools.domain.errors import Undecodable
from pools.stored import _Decoded, pack, unpack
from pools.wire.registry import decode
from tests.manifests import device, node, resource_slice

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**40), 10**40), st.text(st.characters(codec="utf-8"))),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(st.characters(codec="utf-8")), inner)),
    max_leaves=12,
)


@given(st.dictionaries(st.text(st.characters(codec="utf-8")), JSON))
def test_an_object_comes_back_as_it_was(raw):
    body, _ = pack(raw)

    assert unpack(body) == raw


@given(st.dictionaries(st.text(st.characters(codec="utf-8")), JSON, min_size=2))
def test_the_order_of_keys_does_not_change_the_digest(raw):
    assert pack(dict(reversed(raw.items())))[1] == pack(raw)[1]


def test_another_value_is_another_digest():
    assert pack({"a": 1})[1] != pack({"a": 2})[1]
    assert pack({"a": 1})[1] != pack({"a": "1"})[1]


@pytest.mark.parametrize("value", [object(), "\ud800", 1j])
def test_what_json_has_no_form_for_is_refused(value):
    with pytest.raises(Undecodable, match="cannot be written as JSON"):
        pack({"a": value})


def entry(name):
    raw = resource_slice(name, devices=[device("gpu-0")])
    body, digest = pack(raw)
    return digest, body, decode(raw)


def test_an_object_is_decoded_once_while_there_is_room():
    cache = _Decoded(10_000)
    digest, body, _ = entry("s")

    assert cache.get(digest, body) is cache.get(digest, body)


def test_the_one_not_asked_for_longest_goes_first():
    entries = [entry(f"s{index}") for index in range(3)]
    cache = _Decoded(200)
    for digest, _, item in entries[:2]:
        cache.put(digest, item, 100)
    cache.get(*entries[0][:2])

    cache.put(entries[2][0], entries[2][2], 100)

    assert set(cache._kept) == {entries[0][0], entries[2][0]}
    assert cache._size == 200


def test_threads_share_it_without_losing_count():
    cache = _Decoded(2_000)
    entries = [entry(f"s{index}") for index in range(12)]

    def work():
        for _ in range(40):
            for digest, body, _ in entries:
                assert cache.get(digest, body).meta.name.startswith("s")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert cache._size == sum(size for _, size in cache._kept.values()) <= 2_000


def test_a_node_is_a_noun_again():
    body, digest = pack(node("n", zone="a"))

    assert _Decoded(1).get(digest, body).meta.labels == {"zone": "a"}
