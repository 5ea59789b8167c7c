"""The page as a person uses it, in Debian's chromium."""
