"""The memories themselves over HTTP: to add, read, search, change, forget, export and import."""
