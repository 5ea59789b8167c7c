"""Backups: namespaces in one zip file, dated copies of it, and their cleaning."""
