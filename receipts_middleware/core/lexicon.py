"""Word tables as data: verbs that act or look, status words, and how a failure opens a text.

Only tables belong here, no code that reads them: `toolspec` and `evidence` do. All words are lower case,
verbs in their base form. A table that could be argued about says where its rows come from. English; other
languages are added as further tables.
"""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# --- verbs ---------------------------------------------------------------------------------------------

#: Verbs that only look. A closed class: an unknown verb is never taken for one of them. Source: read
#: methods of REST style guides (get, list, search, query, describe), MCP reference servers (read, fetch,
#: stat, tree), agent benchmarks (lookup, find, calculate, think).
READING_VERBS: Final = _words(
    """
    get list ls find search lookup look read fetch retrieve query browse view show display describe
    inspect check validate count calculate compute calc evaluate estimate compare analyze analyse
    summarize summarise extract parse detect preview peek poll monitor observe grep glob cat head tail
    stat diff explain think reason reflect recall recommend suggest predict forecast classify translate
    tokenize hash ping whoami exists crawl scrape transcribe ocr navigate goto visit enumerate discover
    identify measure tree locate consult examine
    """
)

#: Verbs that look and also name acts (`track_parcel` looks, `watch_mark` starts a watch), or are nouns as
#: well. They decide only where nothing stronger does.
WEAK_READING_VERBS: Final = _words("plan verify watch screen scan audit track trace review collect download access see")

#: Verbs that change the world and are hardly ever nouns in a tool name. Source: write methods of the
#: interfaces that agents are given most (mail, chat, calendar, payment, ticket, file, cloud), and the
#: verbs of agent benchmarks.
ACTING_VERBS: Final = _words(
    """
    send create add update delete remove write edit modify set put insert append prepend replace rename
    move upload cancel pay buy purchase sell publish unpublish submit approve reject decline accept
    confirm assign unassign reassign close reopen resolve archive unarchive restore revoke invoke grant
    enable disable activate deactivate start stop restart reboot terminate kill launch deploy undeploy
    rollback provision scale resize reschedule postpone unregister enroll subscribe unsubscribe invite
    uninvite join leave reserve forward reply respond resend notify broadcast dispatch trigger execute
    apply merge unmerge rebase commit push upsert save store persist sync unlink attach detach connect
    disconnect configure reset rotate renew extend suspend pause resume void reverse settle authorize
    authorise redeem withdraw donate convert install uninstall upgrade downgrade migrate purge flush
    clear drop truncate destroy wipe unlock mute unmute unban kick unblock unpin unstar unlike react
    follow unfollow untag unlabel unflag unmark complete finish finalize finalise escalate delegate
    handoff acknowledge ack snooze dismiss adjust increase decrease toggle turn switch click press tap
    fill autofill drag scroll hover notarize fulfill fulfil restock amend annotate redact encrypt
    decrypt compress zip unzip unpack mkdir rmdir touch chmod chown cp mv rm make compile generate draw
    compose reconcile dedupe deduplicate efile arm disarm enqueue requeue retry rerun replay replicate
    clone fork swap waive forgive adopt hire onboard offboard checkin signup login logout unsend remind
    decommission tweet dm erase change share raise lodge prepare initiate begin perform place hold raise
    """
)

#: Words that are verbs of acting or nouns, by place: `order_parts` acts, `order_status` and `find_order`
#: do not. They decide where no stronger verb stands in the name.
AMBIGUOUS_VERBS: Final = _words(
    """
    order post email mail message call text charge issue report log file form record return release
    request comment note test run process import export backup snapshot invoice bill ticket schedule
    quote bid trade exchange transfer credit debit open copy dump crop match address answer dial alert
    page patch claim rate rank score vote deposit exec act do enter take give load unload sort transform
    format clean pull fix repair solve end cast stream play capture import dispute ride render plot
    chart maintenance transition cover pack pick lift ban fire checkout commission task delegate route
    book build label tag flag mark pin star lock wire sign print ship type block link refund register
    select choose
    """
)

#: Head nouns of a name without a decisive verb that say that it looks: `stripe_balance`, `flight_status`,
#: `git_log`.
READING_NOUNS: Final = _words(
    """
    status state history info information details detail stats statistics metrics metric usage balance
    balances summary overview reports log logs weather forecast freebusy availability schema version
    price prices rates listing results content contents snapshot screenshot total uptime health
    calculator calculation directory profile help docs documentation manual policy policies rules faq
    news headlines time date clock holidays timezone location distance directions sha256 md5 checksum
    """
)

#: Words that make a looking noun out of an ambiguous verb before them, or after `run`: `run_report`.
LOOKED_AT_WHEN_RUN: Final = _words(
    """
    query queries report reports search analysis simulation scan audit check checks diagnostics
    benchmark lint list forecast plan diff status preview
    """
)

#: Objects that make opening an act of looking: `open_url`; any other object (a ticket, a dispute) is
#: opened as an act.
LOOKED_AT_WHEN_OPENED: Final = _words(
    "url urls link page webpage website web site tab browser document doc file folder image photo email app view"
)

#: Verbs whose object says what they are.
RUN_VERBS: Final = _words("run execute exec invoke call")

#: Objects of `run`, `execute` or `exec` that make it a shell.
RUN_IN_A_SHELL: Final = _words(
    """
    command commands cmd shell script scripts code bash python terminal cell notebook sql test tests
    subcommand r javascript node statement statements program
    """
)

#: Words of a name that make it a shell: it may look or act and reports by exit code.
SHELL_NAMES: Final = _words(
    """
    bash sh zsh fish shell terminal powershell pwsh cmd console repl subprocess sql mysql psql sqlite
    postgres python ipython ruby perl rscript jupyter ssh
    """
)

#: Command-line programs that are a shell where they are the whole name (`git`), not where a verb follows
#: (`kubectl_get`, `git_log`).
COMMAND_LINE_PROGRAMS: Final = _words(
    """
    git gh glab kubectl helm docker podman aws gcloud az terraform tofu ansible make npm npx pnpm yarn
    pip uv cargo go mvn gradle dbt curl wget systemctl brew apt jq sed awk mongosh bq heroku vercel
    flyctl pulumi svn hg exec execute
    """
)

#: Nouns that stand for a whole interface. A tool that is one may look or act, and only a call says which.
INTERFACE_NOUNS: Final = _words("api http rest graphql rpc endpoint operation tool")

#: Ambiguous words that are things where they end a name (`sales_order`), not acts (`slack_post`).
NOUNS_WHEN_LAST: Final = _words(
    """
    order email mail message text issue report log file form record note comment test process backup
    snapshot invoice bill ticket schedule quote change credit debit place copy match address answer
    alert page rate rank score format fix end stream play capture maintenance cover pack fire checkout
    commission task route chart plot type flag mark star link build request register
    """
)

#: Two words of a name that act together.
PHRASAL_ACTS: Final = frozenset(
    {
        ("check", "in"),
        ("check", "out"),
        ("log", "in"),
        ("log", "out"),
        ("sign", "up"),
        ("sign", "in"),
        ("sign", "out"),
        ("opt", "in"),
        ("opt", "out"),
        ("hand", "off"),
    }
)

#: Verbs that look where only a description has them ("Returns the balance") and act in a name
#: (`return_item`).
SAYING_VERBS: Final = _words("return report print output provide obtain determine gather")

#: Verbs that say nothing about which: "Manage events", "Control the screen".
EITHER_VERBS: Final = _words("control manage operate handle interact work use manipulate administer")

#: Last words of a name that make it look whatever the verb before them: `dedupe_preview`,
#: `merge_dry_run`.
LAST_WORDS_THAT_LOOK: Final = _words("preview lookup dryrun estimate")

#: Words of a tool that hands work to another agent: it does whatever that agent's calls do.
DELEGATION_WORDS: Final = _words("subagent subagents sub-agent sub-agents delegate handoff")

#: Names, without separators, of tools by which an agent keeps its own list or thoughts. Nobody reports
#: their calls. Sources: langchain, Claude Code, Codex, OpenHands.
OWN_NOTES: Final = _words("writetodos todowrite todoread updateplan updatetodolist setplan scratchpad finish")

#: Words before the verb in a description: "This tool lets you ...", "Use this to ...".
DESCRIPTION_FILLERS: Final = _words(
    """
    this the a an tool tools function api endpoint method helper is are was to used useful for can could
    be will would should that which it and allows allow lets let enables enable you agent users user
    please when whenever safely permanently immediately quickly automatically directly simply securely
    instantly asynchronously only if your our use
    """
)

#: HTTP methods as the first word of a description ("POST /me/events"). Source: RFC 9110 section 9.
HTTP_METHOD_KINDS: Final = {
    "GET": "reading",
    "HEAD": "reading",
    "OPTIONS": "reading",
    "POST": "acting",
    "PUT": "acting",
    "PATCH": "acting",
    "DELETE": "acting",
}

#: Words after which an unknown first word of a description is a verb ("Arm the alarm", "Toggles a
#: switch").
DETERMINERS: Final = _words(
    "a an the one this that these those all every each any some several many multiple your my their its"
)

# --- status words --------------------------------------------------------------------------------------

#: Values of a status key that report failure. Sources: Stripe (`failed`, `requires_payment_method`),
#: Twilio and SendGrid message status (`undelivered`, `bounced`), Google operations, ISO 20022 (`rjct`),
#: smart locks (`jammed`).
FAILED_WORDS: Final = _words(
    """
    failed fail failure failing error errored errors fatal exception crashed rejected reject rjct
    declined denied refused bounced bounce hard_bounce soft_bounce undelivered undeliverable
    unsuccessful unsent aborted abort invalid forbidden unauthorized unauthorised unavailable not_found
    jammed stuck blocked unreachable requires_payment_method insufficient_funds nsf conflict timeout
    timed_out timedout deadline_exceeded rolled_back unsupported malformed broken suppressed
    """
)

#: Values that leave the end open: accepted, queued, pending. Sources: HTTP 202, Stripe (`processing`,
#: `requires_action`), Twilio (`queued`, `accepted`, `scheduled`, `sending`), BigQuery jobs (`pending`,
#: `running`), ISO 20022 (`pdng`, `acsp`, `accp`, `actc`), Route 53 (`pending`), booking desks
#: (`on_request`).
ACCEPTED_WORDS: Final = _words(
    """
    accepted queued enqueued pending pdng acsp accp actc requested scheduled processing in_progress
    inprogress progressing running started starting initiated submitted received waiting awaiting
    on_request under_review in_review reviewing on_hold held deferred sending provisioning creating
    updating modifying deploying requires_action requires_approval requires_confirmation
    requires_capture needs_approval triggered dispatched waitlisted staged unconfirmed tentative
    in_flight
    """
)

#: Values that say that something was confirmed afterwards. `confirmed` is also how a booking says done.
VERIFIED_WORDS: Final = _words("delivered verified confirmed settled acsc insync in_sync")

#: Values that say done. A word that no table holds counts as done as well; this table stops the reading
#: of a longer phrase and of a text that is one word.
DONE_WORDS: Final = _words(
    """
    ok okay success successful succeeded succeed done complete completed finished created updated
    deleted removed sent paid booked posted issued ticketed filled executed placed processed active
    current approved merged published saved uploaded closed open resolved cancelled canceled refunded
    voided void reserved rotated locked unlocked subscribed unsubscribed enabled disabled applied added
    set moved renamed archived restored healthy ready live on off up passed pass true yes
    """
)

#: Words of an open end, wherever they stand in a status phrase: "Submitted - awaiting clerk review".
OPEN_END_TOKENS: Final = _words("awaiting pending queued waiting requested scheduled pdng")

#: Keys of a body that is the record of something the call touched, an order say: its status is the
#: record's own ("processing" is an order that was paid), not what became of the call. Sources: Shopify,
#: WooCommerce, tau-bench.
RECORD_KEYS: Final = _words("items lineitems orderitems products paymenthistory fulfillments flights passengers orders")

# --- keys ----------------------------------------------------------------------------------------------
# Keys are compared in lower case without underscores and hyphens.

STATUS_KEYS: Final = ("status", "state", "result", "outcome", "delivery", "deliverystatus", "jobstatus")
SUCCESS_KEYS: Final = _words("success ok successful succeeded issuccess")
ERROR_KEYS: Final = _words(
    """
    error errors err errormessage errormessages errorcode errcode errorresult errordescription
    errordetails exception fault lasterror failurereason failuremessage
    """
)
ERROR_FLAG_KEYS: Final = _words("iserror haserror haserrors failed failure")
HTTP_KEYS: Final = _words("status statuscode httpstatus httpstatuscode httpcode code responsecode")
EXIT_KEYS: Final = _words("exitcode returncode exitstatus rc")
TIMEOUT_FLAG_KEYS: Final = _words("timedout timeout istimeout")

#: Boolean keys whose `true` is a status of its own: `delivered`, `verified` (docs/formats.md section 5)
#: and their open-ended counterparts.
TRUE_IS_STATUS: Final = {
    "delivered": "delivered",
    "verified": "verified",
    "queued": "queued",
    "enqueued": "queued",
    "pending": "pending",
    "requiresapproval": "requires_approval",
    "requiresaction": "requires_action",
    "requiresconfirmation": "requires_confirmation",
}

#: One level of wrapping that interfaces put around what they return.
ENVELOPE_KEYS: Final = _words("data result response body payload output")

#: Keys of a bare error object such as `{"message": "Missing Permissions", "code": 50013}`. Sources:
#: Discord, Twilio, GitHub, RFC 9457.
ERROR_ENVELOPE_KEYS: Final = _words(
    """
    code message msg errors detail details status type title moreinfo documentationurl requestid traceid
    instance
    """
)

#: Keys whose value names the object itself, best first.
OBJECT_ID_KEYS: Final = (
    "id",
    "objectid",
    "uuid",
    "uid",
    "sid",
    "pnr",
    "confirmationnumber",
    "confirmationcode",
    "bookingref",
    "bookingreference",
    "reference",
    "referencenumber",
    "trackingnumber",
    "ref",
)

# --- how failures open a text --------------------------------------------------------------------------

#: Regular expressions, tried at the start of the text of an acting tool or a shell, behind blanks, quotes
#: and marks. Each row: code, expression. Case is ignored. Sources: ToolNode and deepagents templates,
#: tau-bench and OpenHands results, Claude Code (`<tool_use_error>`), the runtimes that the rows name.
ERROR_OPENINGS: Final = (
    (
        "error_word",
        r"(?:fatal |internal |unexpected |server |api |validation |tool )?error"
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
