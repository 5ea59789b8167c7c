"""The Gradio tab: what was remembered, what reached the last prompts and why, and the settings."""
