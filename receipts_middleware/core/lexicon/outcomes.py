"""What an act comes to, as keys of results name it and as replies claim it; and verbs that only set an act going.

"The page is live" is the outcome that `firstPublished` dates; "I sent the page for publication" is not.
"""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Verbs whose participles or nouns stand in keys of one outcome, and what a reply that claims it says, as a regular
#: expression without regard to case.
OUTCOMES: Final = (
    (
        "publish release launch list post go deploy show announce visible live public online",
        r"(?:is|are|went|gone|goes|['\u2019]s|['\u2019]re|now) (?:now |officially |finally )?"
        r"(?:live|out|online|up|public)"
        r"|published|posted|released|launched|(?:for|on) sale|listed|visible|searchable|readers"
        r"|everywhere|deployed|on air|in the stores?",
    ),
    (
        "provision grant activate enable unlock active available",
        r"can now|can (?:already )?(?:see|read|open|use|get in|log in|sign in|edit|view|write)|has (?:full )?access"
        r"|have access|active|activated|enabled|granted|provisioned|up and running|switched on|ready to use",
    ),
    (
        "approve accept grant authorise authorize agree decide endorse ratify",
        r"approved|accepted|sa(?:id|ys) yes|agreed|granted|signed (?:it )?off|passed|okayed|ok['\u2019]d|gave the"
        r"|given the (?:go-ahead|green light|nod)|got the (?:go-ahead|green light|nod)|authori[sz]ed|waved through"
        r"|came through",
    ),
    (
        "receive arrive deliver",
        r"received|arrived|taken in|landed|delivered|(?:has|have) reached|has got|have got|in stock"
        r"|turned up",
    ),
    (
        "pay settle disburse remit reimburse credit transfer",
        r"paid|settled|disbursed|reimbursed|credited|(?:got|has|have) (?:the|their|his|her|its) (?:money|wages|pay)"
        r"|in (?:the|their|his|her|your) (?:bank )?account"
        r"|(?:money|funds|wages|payment|sum) (?:is|are|has|have) (?:left|gone|out|back|sent|in)",
    ),
    (
        "fill execute trade",
        r"filled|bought|purchased|sold|executed|own|owns|acquired|went through|gone through",
    ),
    ("clear release", r"cleared|released|through customs|free to (?:go|leave)|let go"),
    (
        "finish complete conclude",
        r"finished|complete|completed|done|ended|concluded|wrapped up"
        r"|(?:is|are|['\u2019]s) (?:now )?(?:through|all in|over)|(?:is|are|and) (?:now )?ready",
    ),
    (
        "win allocate award confirm reserve assign secure",
        r"yours|theirs|won|allocated|assigned|awarded|confirmed|secured|locked in|reserved|booked"
        r"|got (?:you|him|her|them)"
        r"|(?:has|have) a (?:place|spot|seat|slot|bed)",
    ),
    ("sign countersign witness", r"signed|countersigned|executed|in force|binding|in effect"),
    (
        "submit file transmit forward lodge",
        r"in with|is with|are with|submitted to|filed with|reached|gone to|went to|lodged with",
    ),
    ("apply merge effect take", r"in (?:force|effect|place)|applied|merged|took effect|taken effect|carries"),
    (
        "register enrol enroll admit",
        r"registered|enrolled|admitted|on the (?:register|roll|course)|in (?:[\w.'\u2019-]{1,20} ){1,3}name|belongs to",
    ),
    ("ship dispatch despatch", r"shipped|dispatched|despatched|on (?:its|their) way|left the warehouse"),
    ("print render", r"printed|in the tray|came off|rendered"),
)

#: Verbs that say no more than that something was asked for, written down or set going, and those of looking.
INITIATING: Final = _words(
    """
    create make add submit send request lodge file apply put place order start begin launch trigger kick queue enqueue
    schedule set update change edit modify note log record save write report raise ask enter hand forward refer
    escalate propose nominate initiate upload attach tag invite call contact notify email message text mail draft
    prepare generate plan arrange pencil line give include mark flag pick choose select find check look see read get
    say tell show list view search fetch pull use run try open reply respond answer comment route pass share point need
    want keep leave take go come turn work stand expect wait remain be have do let help plan open push hand log file
    fill adjust rename describe name title label link import export copy correct fix rewrite reword amend replace swap
    transmit notify alert remind fire dial ring spin boot dispatch key type post resubmit resend retry reopen
    """
)

#: Verbs by which whoever it is only hands something in or sets it going.
HANDING: Final = _words(
    """
    submit request ask lodge start begin launch queue schedule create log note record propose open file register need
    want expect wait remain stay say show list trigger kick hand apply plan enter
    use include cover contain have cost mean bear call name
    """
)

#: Verbs of tools that write a value down: the status of what they touched is its own.
WRITING: Final = _words(
    """
    update set change edit modify add note tag label rename log record write patch comment attach save correct amend
    move assign append link upsert put
    """
)

#: What becomes of a thing after an act: a status of that says nothing of any other act.
LATER_THINGS: Final = _words(
    """
    payment refund ship shipping shipment delivery fulfilment fulfillment invoice invoicing billing return payout kyc
    tracking stock inventory settlement review feedback rating survey warranty insurance customer user account person
    contact member client driver vehicle weather device battery network connection sync parent previous old prior
    """
)

#: Words of a status that tell of a beginning rather than of an open end.
BEGUN: Final = _words(
    """
    accepted requested scheduled started starting initiated submitted received creating updating modifying triggered
    dispatched lodged proposed nominated referred forwarded noted logged stored preauthorized draft drafted to_do todo
    planned escalated paused unpublished suspended delayed promised begun tendered offered solicited enquired invited
    shortlisted open_request recorded_pending held quarantined incomplete unfinished upcoming
    """
)
