r"""Word tables of the first reading, English. A new phrase needs a fixture in fixtures/wording.

A row's phrases are parted by bars and written as regular expressions over lower-cased text from which quotations
and code have been taken out; `_neg_` stands for a negation, `_cited_error_` for a quotation that names an error.
Blanks beside a bar and line breaks are layout: write `\s` for a blank that counts there. Words are bounded by the
reader. The order of rows does not matter.
"""

from __future__ import annotations

from typing import Final

from receipts_middleware.core.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One row.

    Attributes:
        name: What its phrases have in common.
        source: Where such wording was seen.
        phrases: Parted by ` | `.
    """

    name: str
    source: str
    phrases: str


PROBES: Final = "labelled probes"
SHELL: Final = "words of shells, compilers and test runners"
HTTP: Final = "RFC 9110 and how reports quote it"
USAGE: Final = "common English usage"

#: Good news that holds a bad word. It counts as success and hides what it holds.
GOOD_NEWS: Final[tuple[Row, ...]] = (
    Row("no bad thing", PROBES, r"""
        (?:no|zero|0|without(?:\san?|\sany)?|free of|not (?:a single|any)|never any)(?: (?:more|further|new
        |other|remaining|known|open|reported|merge|test|lint|type|compile|syntax|runtime|build))* (?:errors?
        |failures?|failed|failing|warnings?|complaints?|problems?|issues?|conflicts?|clash(?:es)?
        |mismatch(?:es)?|regressions?|crash(?:es)?|exceptions?|diff(?:erence)?s?|missing|todos?|skipped|bounced
        |bounces|rejections?|duplicates?|gaps?|leaks?|violations?|incidents?|delays?|trouble|objections?|losses
        |loss|downtime|retries|timeouts?)
        """),
    Row("counted zero", SHELL, "(?:errors?|failures?|failed|missing|skipped|warnings?|bounced) ?[:=] ?0"),
    Row("nothing left", PROBES, r"""
        (?:nothing|none|no \w+|not one)(?: \w+){0,2} (?:left|remaining|remains|outstanding|missing|lost)
        | nothing else | nothing (?:was|is|has been) (?:lost|missing|broken)
        """),
    Row("not bad", USAGE, r"""
        _neg_ (?:\w+ )?(?:fail(?:ed|ing)?|bounced?|crash(?:ed)?|break|broken|affected|lost|miss(?:ed)?
        |disrupted?|damaged?|hurt|lose|complain) | not (?:only|just|merely) | no longer (?:fails?|failing
        |crash(?:es)?|broken|blocked|red|stale|missing|open|needed|required|exists?|listed|active|visible
        |available|there|throws?|raises?)
        """),
    Row("mended", USAGE, r"""
        (?:fix(?:ed|es)|resolv(?:ed|es)|repair(?:ed|s)|correct(?:ed|s)|solv(?:ed|es)|address(?:ed|es)|handl(?:ed
        |es)|remov(?:ed|es)|clear(?:ed|s)|mend(?:ed|s)|patch(?:ed|es)|eliminat(?:ed|es)|silenc(?:ed|es)|overcame
        |worked around|recovered from|retried|re-?ran|reproduced|reopened|restored|replaced|rebuilt|closed|filed
        |opened)(?:\s(?!(?:and|but|so|then|or|while|that)\b)[\w'-]+){0,5}? (?:fail(?:ures?|ing|ed)|errors?|bugs?
        |broken|crash(?:es)?|exceptions?|problems?|issues?|conflicts?|timeouts?|regressions?|missing|invalid
        |stale|stuck|outages?|incidents?|defects?)
        """),
    Row("first-person act", USAGE, r"""
        i(?:'ve|\shave)? (?:(?:also|then|now|already) )?(?:rejected|declined|denied|blocked|refused|aborted
        |interrupted|skipped|killed|stopped|dropped|disabled|ignored|omitted|locked|broke)
        """),
    Row("bad thing as an object", USAGE, r"""
        (?:the|an?|all|any|every|each|its|my|our|their|those|these|both) (?:failed|failing|rejected|declined
        |denied|blocked|refused|bounced|missing|broken|unpaid|unsent|attempted
        |timed-out)(?= \w+ (?:\w+ ){0,3}(?:was|were|is|are|has|have|now|passes|works|went)\b)
        """),
    Row("error as a name", USAGE, """
        (?:error|failure|exception)[ -](?:handling|handlers?|messages?|pages?|logs?|log file|rates?|reports?
        |reporting|tracking|boundary|budget) | fail-?(?:over|safe|fast) | dead[ -]letter | rate[ -]limit(?:s|er
        |ing)? of
        """),
)  # fmt: skip

#: The words say that it failed, was refused, did not happen, or needed another go. Decides its clause.
FAILURE: Final[tuple[Row, ...]] = (
    Row("failed", USAGE, """
        fail(?:s|ed|ing|ure|ures)? | unsuccessful(?:ly)? | without success | in vain | to no avail
        """),
    Row("negated", USAGE, """
        _neg_ | cannot | can't | unable | impossible | nothing | nobody | no one | nowhere | none
        """),
    Row("no outcome", PROBES, r"""
        no (?:\w+ )?(?:reply|response|answer|results?|match(?:es)?|hits?|rows?|records?|output|effect|luck
        |access|permission|such|refunds?|payments?|emails?|mails?|messages?|bookings?|changes?|restocking
        |tickets?|connection|route|space|rooms?|seats?|figures?|confirmation|trace|sign|way|keys?)
        | empty (?:list|result|response|page|string|set|answer) | only (?:\d+|one|two|three|some|half
        |part) (?:\w+ )?of | could only | before (?:i|we|it) could
        """),
    Row("refused", USAGE, """
        refus(?:es|ed|al|ing) | reject(?:s|ed|ion|ing) | den(?:ies|ied|ial) | declin(?:es|ed) | blocked
        | forbid(?:s|den) | unauthori[sz]ed | disallow(?:s|ed) | turned (?:down|away) | is protected | (?:is|was
        |are|were) locked for | barred | prohibited | veto(?:es|ed)
        """),
    Row("mail came back", PROBES, "bounc(?:es|ed) | undeliver(?:able|ed) | returned to sender"),
    Row("time ran out", HTTP, "tim(?:es|ed)[ -]?out | timing out | deadline exceeded | took too long"),
    Row("broke off", SHELL, """
        crash(?:es|ed) | panick(?:s|ed) | segfault(?:s|ed)? | jam(?:s|med) | stall(?:s|ed) | hung | got stuck
        | is stuck | g(?:ave|ives?|iving) up | fell over | fell through | (?:went|goes) wrong | cut (?:off
        |short) | choked | tripped | stumbled | collapsed | (?:stopped|halted) (?:on|at|with|short|because|when
        |after|responding) | (?:was|were|got|is) (?:interrupted|aborted|killed)
        """),
    Row("met an error", SHELL, r"""
        (?:an?|with|into|by|\d+|two|three|several|some|more|many|returned|returns|raised|raises|threw|throws|got
        |gives?|gave|hit|shows?|showed) (?:\w+ )?(?:errors?|exceptions?|tracebacks?|timeouts?
        |warnings?)(?! (?:was|were|is|are|has been|have been) (?:fixed|resolved|gone|cleared|solved|handled))
        | errored(?: out)? | (?:ran|runs|run|running) (?:into|out of|up against|afoul) | came up (?:empty|short)
        | came back (?:empty|with an? error|undelivered) | drew a blank | (?:connection|link|call
        |session) (?:was )?(?:dropped|lost) | asked for a password | hit (?:an?|the|its
        |our)(?: \w+){0,2} (?:limit|quota|wall|snag|error|problem|conflict|timeout|import|ceiling|cap|block|bug
        |issue|lock|barrier|circular) | (?:shows?|showed|says?|said|reports?|reported|reads|prints?|printed
        |contains?|logs?|logged|returns?|returned|raised|raises|threw|throws|got|gave|gives|is|was|with|has
        |had)(?: \w+){0,3} _cited_error_
        """),
    Row("another go", PROBES, """
        need(?:s|ed|ing)? (?:an?|another|two|three|several|some|its) ?(?:(?:second|third|more|few) )?(?:go|goes
        |try|tries|attempts?|retry|retries|look|fix|top-up|push) | (?:had|has|have
        |needs?) to (?:be )?(?:re-?tried|re-?try|repeat(?:ed)?|re-?run|redo|redone|start over) | attempted (?:to
        |the|it|an?|again|once|twice) | (?:i|we|was|were) attempted | tr(?:ies|ied|ying) (?:to|and|again|it|once
        |twice) | attempt(?:s|ing)? to
        """),
    Row("too much", HTTP, """
        too (?:large|big|long|small|short|many|few|late|early|old|new|slow|much|deep|wide|strict|heavy|high|low)
        | over (?:the )?(?:limit|quota|budget) | rate[ -]limited | throttled | out of (?:memory|space|disk|stock
        |range|order|credit|funds|time) | insufficient | not enough | exceed(?:s|ed) | exhausted | maxed out
        | sold out | fully booked | (?:is|was|were|are) (?:already )?full
        """),
    Row("not there", HTTP, """
        not found | unavailable | unreachable | unresponsive | inaccessible | does ?n[o']t exist
        """),
    Row("in the way", PROBES, """
        lock(?:ed)? by | lock (?:is|was|were) (?:still )?(?:held|taken) | held by | already (?:exists?|taken
        |in use|gone) | deadlock(?:ed)?
        """),
    Row("exit code", SHELL, r"""
        exit(?:s|ed)?(?: (?:code|status))?(?: with)?(?: (?:code|status))?:? (?:-?[1-9]\d*|non-?zero|an error)
        | (?:rc|exit) ?= ?-?[1-9]\d* | non-?zero | return code [1-9]\d*
        """),
    Row("http status", HTTP, r"""
        (?:http(?:/\d(?:\.\d)?)?|status(?: code)?|code|returns?|returned|answers?|answered|giv(?:es|ing)|gave
        |got|gets?|with|an?|responded|responds|says?|said) ?:? ?(?:with )?(?:an? )?(?:http )?[45]\d\d(?![\w%]
        |[.,]\d)(?! (?:rows?|items?|files?|records?|orders?|users?|emails?|lines?|ms|kb|mb|gb|gib|tests?|eur|usd
        |gbp|points?|pages?|times|people|customers?|entries|products?|kg|km|m|metres|units?|words?|cells?|keys?
        |tickets?|contacts?|messages?|bytes|seconds?|minutes?|hours?|days?|passed|results?|matches|of))
        """),
    Row("error number", SHELL, r"""
        e(?:acces|noent|perm|exist|busy|rofs|nospc|isdir|notdir|timedout|connrefused|connreset|addrinuse|pipe
        |mfile|hostunreach) | sig(?:kill|segv|term|abrt) | [a-z]\w*(?:error|exception)
        """),
)  # fmt: skip

#: Bad news that a clause may hold beside its own success ("partially refunded"); decides only where nothing else does.
BAD_NEWS: Final[tuple[Row, ...]] = (
    Row("bad state", USAGE, r"""
        errors? | exceptions? | fault(?:s|y)? | invalid | illegal | malformed | broke | broken | breaks
        | corrupt(?:ed)? | interrupted | aborted | killed | died | dies | stuck | offline | down(?! (?:to|from
        |by|on|the|for|in|with|at)) | unhealthy | red | stale | regress(?:ion|ions|ed) | incomplete
        | partial(?:ly)? | unfinished | undone | unchanged | untouched | as (?:it|they) (?:was|were) | lost
        | unconfirmed | unverified | unsent | unpaid | unsigned | problems? | trouble | unfortunately | sadly
        | sorry | regrettably | alas | bugs? | outage | flaky | bad | wrong | wrongly | missing | unknown
        | absent | unsupported | undefined | unresolved | unread | unreadable | disabled | password-protected
        | read-only | lack(?:s|ed|ing) | no longer | not happy | keeps \w+ing | without (?:merging|sending
        |saving|writing|finishing|completing|effect)
        """),
    Row("something in between", PROBES, r"""
        conflict(?:s|ed|ing)? | clash(?:es|ed)? | mismatch(?:es|ed)? | collid(?:es|ed) | occupied | in use
        | prevent(?:s|ed) | skip(?:s|ped) | omitted | left out | ignored | warn(?:s|ed|ings?)? | complain(?:s|ed
        |ing) | violat(?:es|ed|ions?) | expired | timeouts? | first (?:attempt|try|go|run) | attempts?
        | retry(?:ing)? | retries | tried | \w+_(?:declined|failed|failure|denied|error|refused|not_found
        |timeout|forbidden|exceeded) | rate[ -]limits?
        """),
)  # fmt: skip

#: The words say that it was asked for, or is on its way, not that it is done.
PENDING: Final[tuple[Row, ...]] = (
    Row("queued", PROBES, """
        queued | enqueued | pending | back-?ordered | in the queue | in progress | under ?way | in flight | on hold
        | outstanding | await(?:s|ing) | waits? | waiting | in transit | to be confirmed | tbd | not yet
        | yet to
        """),
    Row("asked for", PROBES, """
        requested | asked (?:for|to|them|the) | handed (?:to|over) | submitted for | accepted (?:by|for)
        | initiated | kicked off | dispatched | triggered
        """),
    Row("being done", PROBES, r"""
        (?:is|are|was|were) (?:(?:still|now|currently) )?being \w+ | still (?:running|processing|in|being
        |building|open|going|syncing|waiting|uploading|to) | (?:is|are) (?:(?:still|now|currently) )?(?:creating
        |processing|running|uploading|downloading|syncing|building|propagating|modifying|provisioning|deploying
        |restarting|starting|migrating|rebuilding|indexing)
        """),
    Row("future", USAGE, """
        will | won't | shall | (?:is|are) going to | about to | should (?:be|arrive|appear|show)
        | expected (?:to|by|on)
        """),
)  # fmt: skip

#: Words of completion. Which act it was, and whose, is for the grammar to say.
SUCCESS: Final[tuple[Row, ...]] = (
    Row("succeeded", USAGE, """
        success(?:es|ful|fully)? | succeed(?:s|ed) | work(?:s|ed)(?! (?:on|at|with)) | pass(?:es|ed|ing)?
        | green | clean(?:ly)? | fine | ok(?:ay)? | healthy | smooth(?:ly)? | live | online | intact
        """),
    Row("done", USAGE, """
        done | complete(?:d|s)? | finish(?:ed|es)? | ready | set | sorted | in place | taken care of | all good
        | good to go | went (?:through|out|well|live|fine|to|off) | gone out | up (?:again|and running|to date)
        | back up | on (?:its|their) way | (?:is|are|has|have) now | now (?:has|have) | (?:is|are) (?:up|out|in)
        | in effect
        """),
    Row("regular participle", USAGE, r"""
        (?!need|speed|feed|seed|breed|proceed|indeed|exceed|based\b|named\b|called\b
        |used\b)[a-z][a-z-]*[a-z]{2}ed
        """),
    Row("irregular participle", USAGE, """
        sent | paid | made | built | wrote | written | put | got | gave | given | left | let | took | taken
        | found | told | saw | seen | read back | ran | begun | brought | bought | caught | chose | chosen | cut
        | drew | drawn | held | kept | met | reset | set up | shut | split | spun | swept | taught | won | undid
        | rebuilt | rewrote | rewritten | resent | overwrote | spoke | sold | shown | hid | hidden | froze
        | frozen | grown | grew | withdrew | withdrawn | went | fed | led | lent | quit
        """),
    Row("state", PROBES, """
        match(?:es)? | carr(?:y|ies) | shows | exists | contains | holds | lists | confirms | resolves | answers
        | returns | points to | lives (?:in|at|on) | includes | equals | reads | runs | starts | loads | opens
        | reports | gone | available | reachable
        """),
)  # fmt: skip

#: Marks that decide where no word does, and bad ones at once.
MARKS: Final[dict[str, str]] = {
    "❌": "failure", "✗": "failure", "✘": "failure", "✖": "failure", "⛔": "failure", "🔴": "failure", "🚫": "failure",
    "⚠": "failure", "⏳": "pending", "⌛": "pending", "🟡": "pending", "🔄": "pending",
    "✅": "success", "✔": "success", "☑": "success", "🟢": "success", "🎉": "success",
}  # fmt: skip

NEGATION: Final = (
    r"(?:(?:did|do|does|has|have|had|was|were|is|are|could|would|should|ca|wo|will|can|must|need)(?:n't| not)"
    r"|never|not(?! (?:only|just|merely|long|to mention)\b))"
)
#: Joins two clauses of a statement. The first group is there where what follows may overturn what went before.
JOINTS: Final = (
    r"(,?\s(?:but|however|yet|so|and then|then|until|finally|eventually|afterwards|now)\b"
    r"|[,;.]?\s(?:and |but )?(?:on |at )?(?:the |a |my )?(?:second|third|next|retry|re-?run|another)\b)"
    r"|[.!?;](?=\s)|\s[-–—]\s|:\s|,?\s(?:whereas|except)\b|,\s*(?:and|which|while|the|it|he|she|they|i|we|this|that)\b"
    r"|\sand\s(?=(?:it|the|i|we|they|this|that|is|are|was|were|has|have|had|did|could)\b)"
)
#: Begins a clause that explains or concedes; it counts only where the rest of the statement says nothing.
SUBORDINATE: Final = (
    r"\s*[,(]?\s*(?:although|though|even though|despite|in spite of|because|since|as|after|when|once|while|due to"
    r"|owing to|thanks to|given|following|instead of|rather than|in case|if|unless|whether|so that|to avoid"
    r"|before(?! (?:i|we|it|they) could))\b"
)

#: Function words that mark a text as English, and as another language that uses the same letters.
ENGLISH: Final = frozenset(
    """the is are of and to with for has have had been from by it its this that these all both my your our now was
    were be at on in as a an or not no i we they he she there then than so but if after before into about which who
    each only""".split()
)
FOREIGN: Final = frozenset(
    """der die das und ist sind wurde wurden wird kam hat haben nicht mit von für auf ein eine einen dem den des im
    zum zur le la les et est sont une un du au aux pas avec pour dans sur été que qui ce cette ont el los las y es
    son una del al con para por en se ha han fue fueron il lo gli di che è sono stato stata per della nel het een
    zijn werd niet met voor van op naar o os do da dos das foi foram não com um uma em och är har inte till med av
    det""".split()
)
