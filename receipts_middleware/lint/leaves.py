"""The validator library, and the only module that knows it: a whole schema, or one keyword of it, compiled and asked.

Nothing is fetched: whatever the library would retrieve is refused. Patterns run in linear time where they can; those
that look around run with a limit on backtracking, and a pattern that meets it has decided nothing. Depth and work are
bounded by the callers, since the library itself recurses.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Final, NoReturn

from receipts_middleware.core.errors import UsageError
from receipts_middleware.lint.refs import Schema, SchemaProblem
from receipts_middleware.lint.words import cut, pointer

if TYPE_CHECKING:
    import jsonschema_rs

#: Bytes of one compiled pattern: `(a{1000}){1000}` is refused and not built.
_PATTERN_BYTES: Final = 1 << 20
#: Steps of a pattern that looks around, a few milliseconds.
_BACKTRACKS: Final = 20_000
_MAX_LEAVES: Final = 5_000
_DRAFTS: Final = ("draft-04", "draft-06", "draft-07", "2019-09", "2020-12")


def _refuse(uri: str) -> NoReturn:
    raise ValueError(f"{uri[:120]!r} is outside of the schema and is never fetched")


def draft_of(schema: Schema) -> str:
    """The draft that a schema names, `2020-12` where it names none or one of its own."""
    named = schema.get("$schema")
    text = named if isinstance(named, str) and "json-schema.org" in named else ""
    return next((draft for draft in _DRAFTS if draft in text), "2020-12")


class Compiled:
    """A schema that can be asked.

    Args:
        schema: Its references and bounds are known to be fine.

    Raises:
        SchemaProblem: It is no schema.
    """

    def __init__(self, schema: Schema) -> None:
        plain = dict(schema)
        self.draft = draft_of(schema)
        named = plain.pop("$schema", None)
        if self.draft != "2020-12" and named is not None:
            host = "http" if self.draft.startswith("draft") else "https"
            place = f"{self.draft}/schema#" if self.draft.startswith("draft") else f"draft/{self.draft}/schema"
            plain["$schema"] = f"{host}://json-schema.org/{place}"
        self._named = plain.get("$schema")
        self._whole = _compile(plain)
        self._leaves: dict[tuple[int, str], jsonschema_rs.Validator] = {}

    def fits(self, arguments: object) -> bool:
        """Whether arguments fit.

        Args:
            arguments: Depth and work are known to be fine.

        Raises:
            ValueError: They are no JSON values.
        """
        return _ask(self._whole, arguments)

    def fits_keyword(self, schema: Schema, word: str, value: object) -> bool | None:
        """Whether a value fits one keyword that looks at nothing but the value.

        Args:
            schema: That the keyword stands in; it lives as long as this object.
            word: The keyword.
            value: Untrusted.

        Returns:
            Whether it does; None where that cannot be decided.
        """
        key = (id(schema), word)
        leaf = self._leaves.get(key)
        if leaf is None:
            part: dict[str, object] = {word: schema[word]}
            for one, other in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
                if word in (one, other) and isinstance(schema.get(other), bool):  # the fourth draft
                    part = {name: schema[name] for name in (one, other) if name in schema}
            if self._named is not None:
                part["$schema"] = self._named
            if len(self._leaves) >= _MAX_LEAVES:
                self._leaves.clear()
            leaf = self._leaves[key] = _compile(part)
        try:
            if _ask(leaf, value):
                return True
        except ValueError:
            return None
        return None if word == "pattern" and _gave_up(leaf, value) else False


def _ask(validator: jsonschema_rs.Validator, value: object) -> bool:
    try:
        return validator.is_valid(value)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        # A panic of the library is no Exception.
        raise ValueError(cut(str(error) or type(error).__name__, 200)) from error


def _gave_up(leaf: jsonschema_rs.Validator, value: object) -> bool:
    kinds = ("BacktrackLimitExceeded", "RegexEngineFailure")
    return any(type(error.kind).__name__ in kinds for error in leaf.iter_errors(value))


def library() -> ModuleType:
    """The validator, which is an extra.

    Raises:
        UsageError: It is not installed; the message says what to install.
    """
    try:
        import jsonschema_rs  # noqa: PLC0415 - an extra, and nothing but lint needs it
    except ImportError as error:
        text = "arguments are held against schemas by jsonschema-rs; run: pip install 'receipts-middleware[lint]'"
        raise UsageError(text) from error
    return jsonschema_rs


def _compile(schema: dict[str, object]) -> jsonschema_rs.Validator:
    rust = library()
    try:
        return _compiled(rust, schema, rust.RegexOptions(size_limit=_PATTERN_BYTES))
    except SchemaProblem:
        # Some pattern looks around, which takes the other engine; or nothing helps, and it says why.
        fancy = rust.FancyRegexOptions(backtrack_limit=_BACKTRACKS, size_limit=_PATTERN_BYTES)
        return _compiled(rust, schema, fancy)


def _compiled(rust: ModuleType, schema: dict[str, object], patterns: object) -> jsonschema_rs.Validator:
    try:
        validator: jsonschema_rs.Validator = rust.validator_for(
            schema,
            validate_formats=True,
            ignore_unknown_formats=True,
            retriever=_refuse,
            pattern_options=patterns,
        )
        return validator
    except (KeyboardInterrupt, SystemExit):
        raise
    except rust.ValidationError as error:
        said = error.message.strip().split("\n")[0]
        where = pointer(error.instance_path)
        raise SchemaProblem(cut(f"it is no JSON Schema: {said}", 300) + (f" (at {where})" if where else "")) from error
    except BaseException as error:
        raise SchemaProblem(cut(f"it cannot be compiled: {error}", 300)) from error
