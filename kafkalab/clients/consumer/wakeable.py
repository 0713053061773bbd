"""How is a poll that waits ended from outside? (ConsumerNetworkClient.wakeup, WakeupTrigger)

Both network clients of consumers are one of these: the classic one, and the new one's window on its background thread.
"""

from __future__ import annotations

from kafkalab.errors import WakeupException


class Wakeable:
    """Remembers one wakeup until the poll that it is for. `_interrupt` makes a poll that waits look."""

    _woken = False
    _wakeups_disabled = False

    def _interrupt(self) -> None:
        raise NotImplementedError

    def wakeup(self) -> None:
        """Let the poll that waits, or the next one, raise WakeupException."""
        self._woken = True
        self._interrupt()

    def disable_wakeups(self) -> None:
        """From now on nothing interrupts: the consumer is being closed."""
        self._wakeups_disabled = True

    def raise_if_woken(self) -> None:
        """Raises WakeupException, once for each `wakeup` (maybeTriggerWakeup)."""
        if self._woken and not self._wakeups_disabled:
            self._woken = False
            raise WakeupException()
