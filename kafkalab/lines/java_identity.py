"""The number Java prints behind an object that does not describe itself:
`...$Subscription@329c8a92`.

It is the object's identity hash and means nothing. Ours is drawn from what the object holds, so
that a run repeats.
"""


def identity_text(class_name: str, content: bytes) -> str:
    """`class_name@hex`, the same for the same content."""
    number = 1
    for byte in content:
        number = (31 * number + byte) & 0x7FFFFFFF
    return f"{class_name}@{number:x}"
