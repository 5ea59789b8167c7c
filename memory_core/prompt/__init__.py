"""Renders recalled memories and places them in the prompt. Pure functions of their inputs."""
