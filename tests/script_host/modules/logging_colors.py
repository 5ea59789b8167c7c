"""The host's logger: it shows its own lines, and the root is silenced."""

import logging
import sys

logger = logging.getLogger("textgen")
logger.setLevel(logging.DEBUG)
logger.addHandler(logging.StreamHandler(sys.stderr))
logging.basicConfig(level=logging.ERROR, handlers=[logging.NullHandler()])
