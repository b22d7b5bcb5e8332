"""How failures open a text, and other signs at its edges, as regular expressions.

All are tried at a fixed place or on a bounded part of a text, and none can backtrack beyond its own bounds.
"""

from __future__ import annotations

from typing import Final

#: Regular expressions, tried at the start of the text of an acting tool or a shell, behind blanks, quotes
#: and marks. Each row: code, expression. Case is ignored. Sources: ToolNode and deepagents templates,
#: tau-bench and OpenHands results, Claude Code (`<tool_use_error>`), the runtimes that the rows name.
ERROR_OPENINGS: Final = (
    (
        "error_word",
        r"(?:fatal |internal |unexpected |server |api |validation |tool )?error[*_]{0,2}"
        r"(?:\s*[:!\]\)]|\s+-\s|\s*[\[(]?\d|\s+(?:executing|invoking|calling|running|while|during|in tool|"
        r"occurred|creating|reading|writing|sending|processing|code)\b)",
    ),
    ("error_mark", r"an? (?:unexpected |internal |unknown )?error (?:has )?occurred\b"),
    ("error_tag", r"<(?:tool_use_)?error>"),
    ("traceback", r"traceback \(most recent call last\)"),
    ("exception", r"(?:unhandled |uncaught )?exception(?: in thread [^:\n]{0,80})?\s*:"),
    ("failed_word", r"(?:failed|failure)(?:\s*[:!]|\s+(?:to|with|at|because|due)\b)"),
    (
        "could_not",
        r"(?:could not|couldn['\u2019]t|cannot|can['\u2019]t|can not|unable to|was unable to|did not succeed)\b",
    ),
    (
        "denied",
        r"(?:permission|access|authori[sz]ation|authentication) (?:was )?(?:denied|failed|required)\b",
    ),
    ("refused", r"(?:unauthori[sz]ed|forbidden|not authori[sz]ed|not allowed|not permitted)\b"),
    (
        "not_found",
        r"(?:not found\b|no such (?:file|directory|tool|table|user|host|key|resource|command)\b|unknown tool\b)",
    ),
    (
        "invalid",
        r"invalid (?:\S{1,60} ){0,4}?(?:arguments?|parameters?|input|request|value|id|path|token|credentials|"
        r"key|format|syntax|state|operation|name|email|address|date)\b",
    ),
    (
        "connection",
        r"(?:connection|network|socket) (?:error|refused|reset|closed|lost|aborted|timed out|failed)\b",
    ),
    (
        "timeout",
        r"(?:\w{1,40} ){0,3}?(?:timed out|time-?out (?:after|waiting|error|exceeded|expired)|timeout\s*[:!]|"
        r"deadline exceeded)",
    ),
    ("rate_limit", r"(?:rate limit(?:ed| exceeded| reached)|too many requests|quota exceeded)\b"),
    ("errno", r"ran into \[errno \d+\]"),
    ("fatal", r"(?:fatal|panic|abort(?:ed)?|critical)\s*:"),
)

#: Lines by which named programs say that they failed, wherever they stand in the output of a shell: each
#: is a program's own signature at the start of a line, not a word in prose.
SHELL_FAILURE_LINES: Final = (
    ("git_rejected", r"^ ?! \[(?:remote )?rejected\]"),
    ("make_error", r"^make(?:\[\d+\])?: \*\*\* "),
    ("npm_error", r"^npm (?:ERR!|error) code "),
    ("terraform_error", r"^\u2502 Error: "),
    (
        "no_command",
        r"^(?:/\S{1,100}/)?(?:ba|z|da)?sh: (?:line \d+: |\d+: )?[^\n:]{1,200}: (?:command )?not found",
    ),
)

#: Reason phrases after a bare status number ("429 Too Many Requests"). Source: RFC 9110 section 15, and
#: gateways.
REASON_PHRASES: Final = (
    r"ok\b|created\b|accepted\b|no content\b|bad request|unauthori[sz]ed|payment required|forbidden|not found|"
    r"method not allowed|not acceptable|request time-?out|conflict|gone\b|precondition failed|"
    r"payload too large|unsupported media|unprocessable|locked\b|too many requests|unavailable for legal|"
    r"internal server error|not implemented|bad gateway|service unavailable|gateway time-?out"
)

#: Texts by which the host says that a call never ran, in a message that it declares an error. Sources:
#: langgraph `tool_node.py`, langchain `auto_mode.py`, deepagents `_tool_exclusion.py`.
NOT_RUN_TEXTS: Final = (
    ("unknown_tool", r"error: .{1,300}? is not a valid tool\b"),
    (
        "unknown_tool",
        r"(?:error: )?(?:unknown tool\b|tool .{1,200}? (?:not found|does not exist|is not available)\b)",
    ),
    ("unavailable_tool", r"error: \S{1,200} is not available\."),
    ("invalid_arguments", r"error invoking tool '"),
    ("blocked", r"the tool call `[^`\n]{1,200}` was blocked\b"),
)

#: A program's complaint as the first line of a shell: its name, then words that programs fail with. Sources:
#: coreutils, shells, curl, git, dpkg, systemd.
CLI_COMPLAINTS: Final = (
    r"(?:[\w./@+-]{1,80}: (?:line )?){1,3}(?:\(\d+\) )?(?:error\b|fatal\b|cannot\b|can['\u2019]t\b|could not\b|"
    r"couldn['\u2019]t\b|unable to\b|failed\b|permission denied|no such file|command not found|not found\b|"
    r"connection (?:refused|reset|timed)|operation not permitted|invalid option|unrecognized|"
    r"unknown (?:option|command)|syntax error|conversion failed)|"
    r"(?:[\w./@+-]{1,80}: ){1,3}[^\n]{0,200}: (?:command not found|not found|no such file or directory|"
    r"permission denied|operation not permitted|connection refused|is a directory|file exists)\s*\Z|"
    r"E: |job for \S{1,80} failed"
)

#: Words of a failure that leave open how the call ended: nobody knows whether the act was done.
TIMED_OUT: Final = (
    r"\btimed?[ _-]?out\b|\btimeout\w{0,10}\b|\w{0,30}Timeout(?:Error|Exception|Expired)?\b|"
    r"deadline[ _]exceeded|ETIMEDOUT"
)
CONNECTION_LOST: Final = (
    r"connection (?:was |has been )?(?:unexpectedly )?(?:reset|lost|closed|aborted|dropped)|ECONNRESET|EPIPE|"
    r"socket hang up|broken pipe|api_connection_error|ConnectionResetError|ConnectionAbortedError|"
    r"RemoteDisconnected|incomplete ?read"
)
