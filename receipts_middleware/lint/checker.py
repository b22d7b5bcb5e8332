"""One declared tool, compiled once, and everything that is wrong with a call of it. No file, no network.

The library answers for the many calls that fit; only for those that do not the walk of `faults` says why.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from receipts_middleware.core.dataclass import replace
from receipts_middleware.core.lint import LintFinding, make_lint_finding
from receipts_middleware.lint.bounds import MAX_WORK, Bounds, bounds_of, depth_and_size, work_of
from receipts_middleware.lint.extras import Extras, Path
from receipts_middleware.lint.faults import Faults
from receipts_middleware.lint.leaves import Compiled
from receipts_middleware.lint.refs import References, Schema, SchemaProblem
from receipts_middleware.lint.tell import tell
from receipts_middleware.lint.tools import DeclaredTool
from receipts_middleware.lint.words import cut, nearest, place, pointer, shown

#: Extra arguments of one call that are told of.
_MAX_EXTRAS: Final = 20


class Checker:
    """Holds calls against one tool.

    Args:
        tool: As declared. A schema that cannot be used is no error here; `problem` says why.

    Attributes:
        tool: As declared.
        problem: Why the schema cannot be used; None where it can, or where there is none.
    """

    def __init__(self, tool: DeclaredTool) -> None:
        self.tool = tool
        self.problem = tool.problem
        self._ready: _Ready | None = None
        if tool.schema is not None and tool.problem is None:
            try:
                self._ready = _Ready(tool.schema)
            except (SchemaProblem, RecursionError) as error:
                self.problem = str(error) if isinstance(error, SchemaProblem) else "it is nested too deeply"

    @property
    def can_check(self) -> bool:
        """Whether arguments can be held against a schema."""
        return self._ready is not None

    def check(self, arguments: object, *, is_text: bool = False) -> list[LintFinding]:
        """Everything that is wrong with the arguments of a call.

        Args:
            arguments: Parsed; the raw text where it could not be parsed. Untrusted.
            is_text: The text is known to be arguments that could not be parsed.

        Returns:
            Findings, the outermost first; none where there is no schema to hold them against. Never raises.
        """
        name = self.tool.name
        if isinstance(arguments, str) and (is_text or self._ready is not None):
            return [not_json(arguments, name)]
        if self._ready is None:
            return []
        if not isinstance(arguments, Mapping):
            message = f"The arguments of {shown(name)} are {shown(arguments)}, not an object."
            return [make_lint_finding("args_type", message, tool=name)]
        given = dict(arguments)
        try:
            found = self._ready.check(given, self.tool)
        except (ValueError, RecursionError) as error:
            whole = _without_surrogates(given)
            if whole is None:
                return [self._unchecked(cut(str(error), 200))]
            try:
                found = self._ready.check(whole, self.tool)
            except (ValueError, RecursionError) as again:
                return [self._unchecked(cut(str(again), 200))]
        return [replace(finding, tool=name) for finding in found] if found else found

    def _unchecked(self, why: str) -> LintFinding:
        message = f"The arguments of {shown(self.tool.name)} could not be held against its schema: {why}."
        return make_lint_finding("args_unchecked", message, tool=self.tool.name)


def _without_surrogates(arguments: dict[str, object]) -> dict[str, object] | None:
    """Arguments whose texts hold half characters, with `?` for each of these; None where that is not the trouble.

    The library takes texts of whole characters only, and one half must not hide what else is wrong.
    """
    try:
        text = json.dumps(arguments, ensure_ascii=False)
        whole = text.encode("utf-8", "replace").decode("utf-8")
        return None if whole == text else json.loads(whole)
    except (ValueError, TypeError, RecursionError):
        return None


def not_json(arguments: str, tool: str) -> LintFinding:
    """The finding for arguments that are a text.

    Args:
        arguments: The text. Untrusted.
        tool: Name of the tool.
    """
    try:
        json.loads(arguments)
        why = "a text and no object"
    except json.JSONDecodeError as error:
        why = f"no JSON: {error.msg} at character {error.pos + 1} of {len(arguments)}"
    except (ValueError, RecursionError):
        why = "no JSON"
    message = f"The arguments of {shown(tool)} are {why} ({shown(arguments)})."
    return make_lint_finding("args_not_json", message, tool=tool)


class _Ready:
    """A schema that can be used."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._references = References(schema)
        self._bounds: Bounds = bounds_of(schema, self._references)
        self._compiled = Compiled(schema)
        self._extras = Extras(schema, self._references)
        self._faults = Faults(schema, self._references, self._compiled)

    def check(self, arguments: dict[str, object], tool: DeclaredTool) -> list[LintFinding]:
        """All findings; raises ValueError where nothing can be said."""
        self._stay_in_bounds(arguments)
        found: list[LintFinding] = []
        if not self._compiled.fits(arguments):
            found.extend(tell(self._faults.find(arguments), arguments, tool, self._extras, self._compiled))
        unmentioned = self._extras.find(arguments)
        if unmentioned:
            found.extend(self._unmentioned(arguments, unmentioned))
        return found

    def _stay_in_bounds(self, arguments: dict[str, object]) -> None:
        bounds = self._bounds
        if bounds.is_plain and not any(isinstance(value, dict | list | tuple) for value in arguments.values()):
            return
        depth, size = depth_and_size(arguments, most=bounds.depth)
        if depth > bounds.depth:
            raise ValueError(f"they are nested deeper than {bounds.depth} levels")
        if bounds.is_plain:
            return
        worst = size * bounds.steps * bounds.ways ** min(depth, 40)
        if worst > MAX_WORK and work_of(self._schema, arguments, self._references) > MAX_WORK:
            raise ValueError("its branches multiply with their depth to more steps than are taken for one call")

    @staticmethod
    def _unmentioned(
        arguments: dict[str, object], unmentioned: Iterable[tuple[Path, str, Sequence[str]]]
    ) -> Iterator[LintFinding]:
        for count, (path, name, names) in enumerate(unmentioned):
            if count == _MAX_EXTRAS:
                return
            near = nearest(name, (n for n in names if n not in arguments) if not path else names)
            where = f" in {place(path)}" if path else ""
            message = f"{shown(name)}{where} is no argument that the schema knows; most frameworks drop it unread."
            hint = f"Did you mean {shown(near)}?" if near is not None else None
            yield make_lint_finding("args_extra", message, severity="warning", hint=hint, path=pointer((*path, name)))
