"""Verbs that act and verbs that look, and the words around them that tell which.

Base forms in lower case. English; other languages are added as further tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Verbs that only look. A closed class: an unknown verb is never taken for one of them. Source: read
#: methods of REST style guides (get, list, search, query, describe), MCP reference servers (read, fetch,
#: stat, tree), agent benchmarks (lookup, find, calculate, think).
READING_VERBS: Final = _words(
    """
    get list ls find search lookup look read fetch retrieve query browse view show display describe
    inspect check validate count calculate compute calc evaluate estimate compare analyze analyse
    summarize summarise extract parse detect preview peek poll monitor observe grep glob cat head tail
    stat diff explain think reason reflect recommend suggest predict forecast classify
    tokenize hash ping whoami exists crawl scrape navigate goto visit enumerate discover
    identify measure tree locate consult examine
    """
)

#: Verbs that look and also name acts (`track_parcel` looks, `watch_mark` starts a watch), or are nouns as
#: well. They decide only where nothing stronger does.
WEAK_READING_VERBS: Final = _words(
    "plan verify watch screen scan audit track trace review collect see transcribe translate ocr preflight"
)

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
    decommission tweet dm erase change share raise lodge prepare initiate begin perform place hold
    arrange administer dispense inject infuse prescribe vaccinate admit discharge transfuse refill
    reorder replenish allocate deallocate reallocate allot earmark impound evict sublet furnish encode
    enrol randomise randomize shuffle rasterise rasterize impose collate laminate engrave reprint
    rebook unbook overbook reroute divert isolate contain relabel retag recolor recolour reprice
    expunge shred discard reclassify recategorize recategorise deduct debar disburse remit reimburse
    accrue amortize amortise capitalise capitalize underwrite endorse indemnify insure cede notarise
    repeal ratify enact summon adjourn reconvene irrigate fertilize fertilise sow prune cull inseminate
    ferment decant pour bake knead solder anneal galvanise galvanize calibrate recalibrate retune
    lubricate refuel defuel recharge hoist unberth moor unmoor embark disembark stow unstow fumigate
    disinfect sanitise sanitize sterilise sterilize rewire energize energise deenergize deenergise
    throttle derate curtail transcode airdrop unstake liquidate redeploy cordon uncordon evacuate
    failover failback promote demote relegate unlist relist delist enlist furlough bequeath endow nudge
    dim brighten unstage unshelve deaccession expel readmit matriculate certify decertify accredit
    reseat overwrite prefill prepay unfreeze unhold unsuspend unsnooze untie reinstate transact repay
    refinance foreclose defrost preheat repaint refurbish retire retest recall reship repack repackage
    rehome rehire reissue resubmit resync reseed reindex rekey refile redraft relaunch reload remap
    remount rewrite reword transmit
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
    format clean fix repair solve end cast stream play capture import dispute ride render plot
    chart maintenance transition cover pack pick lift ban fire checkout commission task delegate route
    book build label tag flag mark pin star lock wire sign print ship type block link refund register
    select choose recall sms roll brew burn mint tip draft serve appeal petition harvest tow rent lease
    sponsor offer freeze chill heat cool vent feed treat dose weigh weld cut bind trim stitch wash
    launder award retain relocate levy cosign nominate elect pledge berth catalogue overnight accession
    requisition redirect shortlist quarantine subpoena recruit preorder waitlist
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
    output outputs rate notes numbers levels
    """
)

#: Those of them that also turn an ambiguous verb before them into a thing: `order_status`, but not
#: `log_time`.
READING_HEADS: Final = _words(
    """
    status history info information details detail stats statistics metrics summary overview logs log
    balance listing results usage total uptime screenshot snapshot quote quotes next health
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
EITHER_VERBS: Final = _words(
    "control manage operate handle interact work use manipulate administer download access pull"
)

#: Last words of a name that make it look whatever the verb before them: `dedupe_preview`,
#: `merge_dry_run`.
LAST_WORDS_THAT_LOOK: Final = _words("preview lookup dryrun")

#: Verbs of looking that are things behind an ambiguous verb: `book_visit`, `schedule_estimate`.
LOOKS_THAT_ARE_NOUNS: Final = _words("visit estimate measure tree head")

#: Participles that are not the verb with `-ed`. Source: the acting verbs above.
IRREGULAR_PARTICIPLES: Final = {
    "send": ("sent",),
    "resend": ("resent", "sent"),
    "pay": ("paid",),
    "buy": ("bought",),
    "sell": ("sold",),
    "make": ("made",),
    "build": ("built",),
    "write": ("written",),
    "set": ("set",),
    "reset": ("reset",),
    "put": ("put",),
    "hold": ("held",),
    "withdraw": ("withdrawn",),
    "draw": ("drawn",),
    "give": ("given",),
    "take": ("taken",),
    "begin": ("begun",),
    "run": ("run",),
    "shut": ("shut",),
    "leave": ("left",),
    "void": ("void", "voided"),
    "submit": ("submitted",),
    "cancel": ("canceled", "cancelled"),
    "label": ("labeled", "labelled"),
    "ack": ("acked", "acknowledged"),
    "dm": ("sent",),
    "mv": ("moved",),
    "cp": ("copied",),
    "rm": ("removed",),
    "mkdir": ("created",),
}

#: Verbs that make the thing whose record they return, so that its status is what became of the call.
CREATING_VERBS: Final = _words("create place submit book buy purchase order pay charge checkout reserve request rent")

#: Things with a life of their own. Where a call makes or changes one, a `pending` in what comes back is
#: the thing's own stage: a new task is pending, a placed order is processing.
LIFECYCLE_NOUNS: Final = _words("task todo ticket issue reminder order lead deal opportunity case card story bug")
LIFECYCLE_VERBS: Final = _words(
    "create add open place update modify edit assign unassign set upsert make raise move tag label rename change"
)
LIFECYCLE_STAGES: Final = _words("pending processing in_progress received scheduled started new open")

#: Words of a tool that hands work to another agent: it does whatever that agent's calls do.
DELEGATION_WORDS: Final = _words("subagent subagents sub-agent sub-agents delegate handoff")

#: Names, without separators, of tools by which an agent keeps its own list or thoughts. Nobody reports
#: their calls. Sources: langchain, Claude Code, Codex, OpenHands.
OWN_NOTES: Final = _words(
    "writetodos todowrite todoread updateplan updatetodolist setplan scratchpad finish exitplanmode"
)

#: Those by which it only writes down what it thinks: what stands there was neither done nor seen. Sources: the `think`
#: tools of agent benchmarks, the sequential-thinking MCP server, deep-research agents.
THOUGHTS: Final = _words(
    "think thinktool thought thoughts thinking sequentialthinking reflect reflection scratchpad reason"
)

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
HTTP_METHOD_KINDS: Final[Mapping[str, Literal["acting", "reading"]]] = {
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
