"""Names of any kind survive the way into an address and back."""

import pytest
from django.urls import resolve, reverse

NAMES = ["plain", "a/b/c", "~", "~0", "~1~0/", "", ".", "..", "a b", "ä€", "%2F", "?x=1#y", "a\\b", "\u202e", "+"]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_comes_back_from_its_address_as_it_was(client, name):
    from urllib.parse import unquote

    address = reverse("web:device", args=[name, name, name, name])
    match = resolve(unquote(address))

    assert match.view_name == "web:device"
    assert set(match.kwargs.values()) == {name}


@pytest.mark.parametrize("name", NAMES)
def test_no_part_of_an_address_is_one_that_browsers_resolve(name):
    assert not {"", ".", ".."} & set(reverse("web:node", args=[name, name]).strip("/").split("/"))
