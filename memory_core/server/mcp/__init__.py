"""The memory as tools of the Model Context Protocol, over stdio and over HTTP."""
