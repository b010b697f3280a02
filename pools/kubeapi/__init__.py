"""Kubernetes' wire surface for drivers and kubectl."""
