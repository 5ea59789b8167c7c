"""Long-term memory for local chatbots; importing this package loads nothing heavy."""

from .version import VERSION

__version__ = VERSION
__all__ = ["__version__"]
