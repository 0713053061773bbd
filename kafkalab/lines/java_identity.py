"""Computes the number that Java prints behind an object without toString:
`...$Subscription@329c8a92`.

In Java it is the object's identity hash and means nothing. Here it is computed from the object's
content, so that a run repeats.
"""


def identity_text(class_name: str, content: bytes) -> str:
    """`class_name@hex`, the same for the same content."""
    number = 1
    for byte in content:
        number = (31 * number + byte) & 0x7FFFFFFF
    return f"{class_name}@{number:x}"
