"""Read side: one function a question."""
