"""The memory behind an API: an OpenAI-compatible server, REST and MCP. The only async code."""
