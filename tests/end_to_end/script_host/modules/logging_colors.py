"""The host's logger, which shows its own lines and silences the root logger."""

import logging
import sys

logger = logging.getLogger("textgen")
logger.setLevel(logging.DEBUG)
logger.addHandler(logging.StreamHandler(sys.stderr))
logging.basicConfig(level=logging.ERROR, handlers=[logging.NullHandler()])
logging.getLogger().addHandler(logging.StreamHandler(sys.stderr))  # as some extension may do
