"""The Gradio tab: memories, traces of the last prompts, and settings."""
