"""The host's logger shows its own lines; the root is silenced until an extension enables it."""

import logging
import sys

logger = logging.getLogger("textgen")
logger.setLevel(logging.DEBUG)
logger.addHandler(logging.StreamHandler(sys.stderr))
logging.basicConfig(level=logging.ERROR, handlers=[logging.NullHandler()])
logging.getLogger().addHandler(logging.StreamHandler(sys.stderr))  # as some extension may do
