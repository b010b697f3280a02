"""Random scenarios for the allocator: made, asked of two programs, compared, shrunk."""
