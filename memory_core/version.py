"""The version of this software; formats on disk carry versions of their own."""

VERSION = "0.1.0"
