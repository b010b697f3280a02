"""Tests against real Kubernetes: its allocator as a program, and its control plane on loopback."""
