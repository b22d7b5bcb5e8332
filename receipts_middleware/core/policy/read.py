"""From a document, as TOML or JSON gives it, to a `Policy`: every problem is found, and each says where it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from receipts_middleware.core.policy.check import (
    MAX_TOOLS,
    RUN_CHECKS,
    TOOL_CHECKS,
    Check,
    Path,
    PolicyError,
    Problem,
    check_name,
    check_rule,
    nearest,
    shown,
)
from receipts_middleware.core.policy.language import FAMILIES, LISTS, LanguageTables, read_languages
from receipts_middleware.core.policy.value import Policy, ToolPolicy, repeated

#: What stands beside the settings of the run.
_TABLES: Final = ("tools", "rules")


def read_policy(document: Mapping[str, object]) -> Policy:
    """Read a policy from plain data.

    Args:
        document: The settings of a run, with `tools` (a table of names or patterns to settings, or a list of
            settings with `name`), `rules` (ids to severities) and `language` (the code of one, or a table of codes to
            rows that are added to its tables). Untrusted.

    Returns:
        The policy.

    Raises:
        PolicyError: Something in it cannot be right; a `UsageError` with every problem and its place.
    """
    if not isinstance(document, Mapping):
        raise PolicyError([Problem((), f"a policy is a table, not {shown(document)}")])
    tabled = isinstance(document.get("language"), Mapping)  # [language.en] adds rows, language = "en" names one
    also = (*_TABLES, "language") if tabled else _TABLES
    problems = [*_settings(document, RUN_CHECKS, (), also=also), *_rules(document.get("rules", {}))]
    problems += read_languages(document.get("language"))
    rows = list(_tool_rows(document.get("tools", {}), problems))
    names = [name for _, name, _ in rows]
    problems += [Problem(rows[at][0], said) for at, said in repeated(names)]
    if problems:
        raise PolicyError(problems)
    run = {key: document[key] for key in RUN_CHECKS if key in document and key not in also}
    if tabled:
        run.update(_languages(document["language"]))
    tools = tuple(ToolPolicy(name, **{k: row[k] for k in TOOL_CHECKS if k in row}) for _, name, row in rows)  # type: ignore[arg-type]
    return Policy(tools=tools, rules=document.get("rules", {}), **run)  # type: ignore[arg-type]


def _settings(
    table: Mapping[str, object], checks: Mapping[str, Check], path: Path, *, also: tuple[str, ...] = ()
) -> Iterator[Problem]:
    """Unknown keys and wrong values of one table."""
    known = (*checks, *also)
    for key, value in table.items():
        if key in also:
            continue
        if not isinstance(key, str) or key not in checks:
            yield Problem((*path, str(key)), f"is no setting {'of a tool' if path else 'here'}; {_instead(key, known)}")
            continue
        check = checks[key]
        if said := check(value):
            yield _in_list((*path, key), value) or Problem((*path, key), said)


def _languages(tables: object) -> Mapping[str, object]:
    """What a table `[language]` that was found to be right says: rows that are added, and the language of replies."""
    said = tables.items() if isinstance(tables, Mapping) else ()
    added = (LanguageTables(code, **{key: row[key] for key in (*FAMILIES, *LISTS) if key in row}) for code, row in said)
    return {"languages": tuple(added), "language": next((code for code, row in said if row.get("assumed")), None)}


def _in_list(path: Path, value: object) -> Problem | None:
    """The first entry of a list of names that is none: its own line is the one to look at."""
    entries = enumerate(value) if isinstance(value, list | tuple) else ()
    return next((Problem((*path, at), said) for at, item in entries if (said := check_name(item))), None)


def _instead(key: object, known: tuple[str, ...]) -> str:
    if not isinstance(key, str):
        return "write a name in quotes"
    if "rules" in known and key in TOOL_CHECKS:
        return f"write it under [tools.NAME], the table of the tool whose {key} it is"
    if "rules" not in known and key in RUN_CHECKS:
        return "it is about the whole run: write it above the first table"
    return nearest(key, known)


def _rules(table: object) -> Iterator[Problem]:
    if not isinstance(table, Mapping):
        yield Problem(("rules",), f'is {shown(table)}; write a table, for example [rules] with uncited_report = "note"')
        return
    for rule, level in table.items():
        if said := check_rule(rule, level):
            yield Problem(("rules", str(rule)), said)


def _tool_rows(tools: object, problems: list[Problem]) -> Iterator[tuple[Path, str, Mapping[str, object]]]:
    """Where each entry stands, its name and its settings; what is wrong goes to `problems`."""
    if not isinstance(tools, Mapping | list | tuple):
        problems.append(Problem(("tools",), f"is {shown(tools)}; write a table for each tool, [tools.send_email]"))
        return
    if len(tools) > MAX_TOOLS:
        problems.append(Problem(("tools",), f"has more than {MAX_TOOLS} entries; write patterns such as [tools.'a*']"))
        return
    named = isinstance(tools, Mapping)
    for key, row in tools.items() if isinstance(tools, Mapping) else enumerate(tools):
        path: Path = ("tools", key if isinstance(key, str | int) else str(key))
        if not isinstance(row, Mapping):
            example = "[tools.send_email]" if named else "[[tools]]"
            problems.append(Problem(path, f"is {shown(row)}; write a table, for example {example}"))
            continue
        name = key if named else row.get("name")
        also = () if named else ("name",)
        if said := _name_problem(name, row, named=named):
            problems.append(Problem(path if named or "name" not in row else (*path, "name"), said))
            continue
        problems.extend(_settings(row, TOOL_CHECKS, path, also=also))
        yield path, str(name), row


def _name_problem(name: object, row: Mapping[str, object], *, named: bool) -> str:
    """What is wrong with the name of an entry; for a dotted name, how to write it so that it is one name."""
    if not named and "name" not in row:
        return 'has no name; write name = "send_email"'
    if said := check_name(name):
        return said
    inner = [key for key, value in row.items() if isinstance(value, Mapping)]
    if named and inner and not any(key in TOOL_CHECKS for key in inner):
        return f"is a table of tables; write a name with dots in quotes: [tools.{shown(f'{name}.{inner[0]}')}]"
    return ""
