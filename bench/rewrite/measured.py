"""A call measured in this process."""

import os
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "internal", "peers"))
from process import peak, processor  # noqa: E402


def run(work):
    """Runs a function; what it returns is kept as text."""
    before, start = processor("self"), time.monotonic()
    said = work()
    return {"seconds": time.monotonic() - start, "cpu": processor("self") - before, "peak_mb": peak("self"), "said": str(said)}
