"""Which facts of a call are kept, by the option of the middleware and by what a policy says of the tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from receipts_middleware.core.facts import Capture, extract_facts
from receipts_middleware.core.policy import NO_POLICY, Policy


@dataclass(frozen=True, slots=True)
class Capturing:
    """What is kept of arguments and results.

    Attributes:
        capture: The option of the middleware, the most that is kept.
        key: Key of the digests.
        policy: What is said of the tools.
    """

    capture: Capture
    key: bytes | None = None
    policy: Policy = NO_POLICY

    def of(self, tool: str) -> Capture:
        """What is kept of calls of a tool. Its name is untrusted."""
        return self.policy.keeps(tool, self.capture)

    def facts(self, tool: str, args: object, text: str) -> Mapping[str, object]:
        """The facts of one call, all of it untrusted."""
        return extract_facts(args, text, capture=self.of(tool), key=self.key)
