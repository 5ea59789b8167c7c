"""Chat completions with memory, in front of any OpenAI-compatible server."""
