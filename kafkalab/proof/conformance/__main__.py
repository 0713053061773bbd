"""`python -m kafkalab.proof.conformance DIR` is `python -m kafkalab conformance DIR`."""

import sys

from kafkalab.proof.conformance.command import main

if __name__ == "__main__":
    sys.exit(main())
