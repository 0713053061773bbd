"""`python -m kafkalab.conformance DIR` is `python -m kafkalab conformance DIR`."""

import sys

from kafkalab.conformance.command import main

if __name__ == "__main__":
    sys.exit(main())
