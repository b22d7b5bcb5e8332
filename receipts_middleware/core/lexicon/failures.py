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

#: How a result refuses in prose, tried on the first sentence of an acting tool that nowhere says that its own act
#: was done. Sources: booking desks, carriers, card issuers, REST error texts.
REFUSALS: Final = (
    r"\A\W{0,8}(?:sorry|unfortunately|regrettably|oops|alas|apologies|we(?: are|\u2019re|'re)? (?:sorry|regret)"
    r"|i['\u2019]m sorry"
    r"|refusing|refused|rejected|denied|declined|blocked)\b",
    r"\b(?:unable|not able|failed|impossible) to\b|\b(?:could not|couldn['\u2019]t) (?:be )?\w",
    r"\b(?:cannot|can['\u2019]t|can not) (?:be )?(?!undone|reversed|changed|edited|modified|recovered|refunded"
    r"|cancell?ed"
    r"|transferred|restored|undo|reply|exceed)\w",
    r"\bno longer (?:available|valid|open|offered|exists?|accepted|active|possible|eligible)\b",
    r"\balready (?:been )?(?:booked|reserved|sold|gone|in use|full|occupied|allocated|claimed|used)\b",
    r"\b(?:fully booked|sold out|overbooked|out of (?:stock|order|service|range|bounds|hours|scope)|at capacity"
    r"|is full)\b",
    r"\bno (?!errors?|issues?|conflicts?|problems?|warnings?|changes|further"
    r"|action)(?:[\w-]{1,20} ){1,5}?(?:available|left|free"
    r"|remaining|possible|found)\b|\bnone (?:available|left|free|found)\b",
    r"\b(?:not|n['\u2019]t) (?:currently )?(?:available|permitted|allowed|possible|supported|eligible|found"
    r"|authori[sz]ed|accepted"
    r"|enough|sufficient|recogni[sz]ed|serve|clear|entitled|covered|applicable|in stock|exist|meet|match"
    r"|qualify|applied"
    r"|changed|saved"
    r"|have (?:permission|access|the right))\b",
    r"(?<!\bno )(?<!\b0 )(?<!not )\b(?:refused|rejected|denied|declined|blocked|barred|inhibited|prohibited"
    r"|forbidden|bounced"
    r"|aborted|reverted|vetoed|disallowed|returned to sender|returned for correction|turned down|kicked back"
    r"|sent back)\b(?! nothing| none)",
    r"\b(?:offline|unreachable|not responding|no response from|unavailable|jammed|(?:is|are) (?:locked|down))\b"
    r"(?! ?[=:] ?0\b)",
    r"\b(?:quota|limit|allowance|budget|credit|balance|memory) (?:\w{1,20} ){0,2}?(?:exceeded|reached|exhausted"
    r"|used up)\b"
    r"|\bexceed(?:s|ed)\b|\binsufficient\b|\btoo (?:many|late|large|small|early|short|long|few|low|high)\b",
    r"\bhas expired\b|\bexpired (?:on|at|card|token|session|licen[cs]e)\b|\bwent wrong\b|\bdoes not (?:exist"
    r"|match|support|apply|serve)\b",
    r"\b(?:window|market|period|registration|enrolment|desk|office|sale|counter|gate) (?:is |has "
    r"|was )?(?:now )?closed\b",
    r"\b(?:operation|request|action|transaction|payment|command|update|call|attempt) (?:has )?failed\b",
    r"\A\W{0,8}no (?:such |matching |known |active |open |registered |valid )?(?:account|user|customer|client|member"
    r"|contact|subscriber|person|patient|guest|recipient|record|match|row|entry|item|device|file|document|folder|order"
    r"|booking|reservation|appointment|ticket|invoice|shipment|parcel|card|profile|policy|contract|vehicle|room|seat"
    r"|slot|route|driver|courier|host|server|instance|service|job|task|event|channel|group|list|product|sku|article"
    r"|asset|address|mailbox|number|plan|permission|licen[cs]e|access|line|table|page|team|branch|zone)s?"
    r"(?: (?:with|for|under|named|called|match(?:es|ed|ing)?|by|registered|found|exists?|has|at|on|in|to|like)\b"
    r"|\W*\Z)",
    r"\b(?:lower|higher|greater|less|more|larger|smaller|longer|shorter|earlier|later|older) than (?:the |your )?"
    r"(?:previous|last|allowed|permitted|maximum|minimum|max|min|limit|available|balance|expected|current)\b",
    r"\bmust be (?:at (?:least|most)|between|greater|less|more|in the (?:future|past)|one of|unique|positive|numeric"
    r"|after|before|provided|specified|an? (?:valid|whole|positive|number))\b",
    r"\A\W{0,8}(?:unknown|unrecogni[sz]ed|illegal|unsupported|malformed|incorrect|mismatch(?:ed|ing)?|skipped|ignored"
    r"|nothing (?:matched|found|changed))\b",
    r"\b(?:is|are|was|were|has been|have been) (?:currently |already |temporarily )?(?:frozen|suspended|disabled"
    r"|used up|exhausted|spoken for|inactive|read-only|deactivated|discontinued|taken|lapsed|revoked|terminated"
    r"|overdrawn|disconnected)\b",
    r"\b(?:is|are|was|were|has been) (?:now |already )?(?:closed|locked|full) (?:for|to|since|until)\b",
    r"\b(?:is|are) (?:currently |already )?(?:checked out|locked|in use|held|claimed|taken|reserved) by\b",
    r"\A\W{0,8}please (?:correct|check|fix|complete|fill in|provide|supply|select|choose|enter)\b",
    r"\A\W{0,8}(?!errors?|warnings?|conflicts?|issues?|problems?|fees?|notes?|remarks?|changes?|attachments?|comments?"
    r"|messages?|parent)\w{3,20}\s?[:=]\s?(?:none|null|nil)\b",
    r"\b(?:period|window|registration|enrolment|deadline|offer|sale) (?:has )?(?:ended|passed|lapsed)\b",
    r"\b(?:not|n['\u2019]t) (?:currently )?(?:connected|plugged in|paired|registered|configured|subscribed|enrolled"
    r"|a member|on file|listed|known|reachable|in (?:use|service|range)|go through|succeed|respond)\b",
    r"\A\W{0,8}no (?!errors?|issues?|conflicts?|problems?|warnings?|changes?|further|action)(?:[\w-]{1,20} ){1,4}?"
    r"(?:on (?:file|record)|registered|configured|provided|connected|attached|stored)\b",
)
#: By which a result, wherever in its text, asks for the same thing once more.
ONCE_MORE: Final = (
    r"\bplease (?:check|correct|verify|review|fix)\b[^.!?]{0,40}\b(?:again|re-?enter|resubmit|retry)\b"
    r"|\bplease (?:try|enter|submit|send) (?:it |this |them )?again\b|\bplease (?:re-?enter|resubmit|retry)\b"
    r"|\b(?:choose|pick|select|use|try) (?:a different|another)\b"
)

#: Answers that say that the act was only tried out; that may be just what was asked for.
TRIED_OUT: Final = (
    r"\bdry[ -]?run\b|\bsimulat(?:ed|ion) (?:only|mode|run)\b|\bwould (?:have been|be|have) \w{2,20}(?:ed|en|nt)\b"
    r"|\bpreview only\b|\bwhat-?if mode\b"
)

#: What databases print where nothing fitted, and how they and mail servers name a failure.
#: Sources: PostgreSQL command tags, SQL Server, MySQL, Oracle, RFC 5321 with the codes of RFC 3463, libc errno names.
NO_ROWS: Final = (
    r"\A\W{0,8}(?:UPDATE|DELETE|MERGE|MOVE|COPY) 0\W{0,4}\Z|\AINSERT \d{1,10} 0\W{0,4}\Z"
    r"|(?<![\d.,])0 (?:rows?|records?|documents?|files?|items?|entries|messages?|objects?) (?:were |was )?"
    r"(?:affected|updated|changed|matched|deleted|inserted|modified|written|sent|removed|moved|copied)\b"
    r"|\A\W{0,4}(?:0|no) (?:replacements?|matches|hits|occurrences|substitutions)\b"
    r"|\bQuery OK, 0 rows affected\b|\b(?:matched|modified)(?:_?count)?: 0\b"
)
VENDOR_ERRORS: Final = (
    r"\A\W{0,8}(?:ORA-\d{5}|SQLSTATE|PLS-\d{5}|DB2\d{4}|Msg \d{1,6}, Level|ERROR \d{3,5}\b|AADSTS\d|AMQ\d{4}|TNS-\d{5}"
    r"|[45]\d\d[ -][45]\.\d{1,3}\.\d{1,3}\b|E(?:CONN|NO|PERM|ACC|EXIST|BUSY|INVAL|TIMED|HOST|PIPE|AI_)[A-Z]{0,12}\b)"
    r"|\A(?:[a-z_]\w{0,40}\.){1,6}[A-Z]\w{2,60}: "
    r"|\A\W{0,8}(?:\w{1,40}_){0,6}(?:REJECTED|DENIED|FAILED|ERROR|REFUSED|FORBIDDEN|UNAVAILABLE|INVALID"
    r"|TIMEOUT)\W{0,4}\Z"
    r"|\A(?:[\w./@+-]{1,80}: ){1,3}(?:\(\d{1,4}\) )?(?:error\b|(?i:the requested url returned error)|cannot "
    r"|[^\n]{0,160}\b"
    r"(?:refused|denied|not permitted|no such file or directory|unreachable|not resolve host)\b)"
    r"|\A(?:denied|error): |\A\W{0,8}(?:result|status|code) ?[:=] ?(?:ERR|FAIL|NAK|DENIED|REJECTED)"
    r"|\b(?:RC|MAXCC|(?i:return code)) ?[=:] ?0*[1-9]\d{0,4}\b"
)
