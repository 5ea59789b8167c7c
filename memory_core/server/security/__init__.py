"""Limits calls of the server: by key, by origin, by number and by size."""
