"""The demo fleet: manifests, and the program that writes them."""
