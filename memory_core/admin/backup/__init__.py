"""Namespaces as one zip file, and back."""
