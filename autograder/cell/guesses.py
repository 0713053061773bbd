"""How well does a guess fit what happened?

A number that is off by a tenth at most is close: who says 500 ms and sees 504 has understood.
"""

CLOSE = 0.1


def fit(guess, happened) -> str:
    """ "as you said", "close" or "a surprise". Small counts must be exact:
    the next whole number lies further off than a tenth."""
    if guess == happened:
        return "as you said"
    if all(type(value) in (int, float) for value in (guess, happened)) and abs(
        guess - happened
    ) <= CLOSE * abs(happened):
        return "close"
    return "a surprise"


def surprised(guess: dict, happened: dict) -> bool:
    """Whether any value of a guess was contradicted."""
    return any(fit(guess.get(name), value) == "a surprise" for name, value in happened.items())
