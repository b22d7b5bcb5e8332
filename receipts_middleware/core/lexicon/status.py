"""Values of a status key: failed, still open, confirmed, done."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Values of a status key that report failure. Sources: Stripe (`failed`, `requires_payment_method`),
#: Twilio and SendGrid message status (`undelivered`, `bounced`), Google operations, ISO 20022 (`rjct`),
#: smart locks (`jammed`).
FAILED_WORDS: Final = _words(
    """
    failed fail failure failing error errored fatal exception crashed rejected reject rjct declined
    denied refused bounced bounce hard_bounce soft_bounce undelivered undeliverable unsuccessful unsent
    aborted abort invalid forbidden unauthorized unauthorised unavailable not_found jammed stuck blocked
    unreachable requires_payment_method insufficient_funds nsf conflict timeout timed_out timedout
    deadline_exceeded rolled_back unsupported malformed broken suppressed
    ineligible disallowed prohibited inhibited vetoed barred outbid sold_out overbooked
    unaffordable unserviceable unprocessable unauthenticated unsatisfied undeployed unfulfillable infeasible
    expired exhausted nak nack nogo no_go mismatch mismatched corrupt corrupted reverted killed oomkilled
    no_answer no_response no_reply unanswered
    incompatible impossible insufficient inaccessible disqualified illegal offline permission_denied
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
    lodged proposed nominated referred forwarded noted logged stored spooled parked queueing
    provisional preliminary conditional standby stand_by backorder backordered back_order on_backorder
    pencil penciled pencilled incomplete unfinished undecided unassigned unallocated undispatched
    postponed deferred delayed suspended hold onhold open_request ready_to_start not_started
    to_do todo planned committed_pending preauthorized draft drafted in_queue in_transit_to_approver
    escalated quarantined paused unpublished upcoming_run recorded_pending promised
    tendered offered solicited enquired quoted_pending invited shortlisted
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
OPEN_END_TOKENS: Final = _words(
    """
    awaiting pending queued waiting requested scheduled pdng enqueued handed lodged spooling rendering review
    waitlist waitlisted standby tentative tentatively provisional provisionally provisioned_hold unconfirmed
    backorder backordered conditional conditionally pencilled penciled pencil preliminary unassigned
    unallocated undecided postponed deferred spooled tbc tbd tba yet hold onhold approval queue triage
    outstanding
    """
)

#: Words that close a phrase whatever opened it: "review completed".
CLOSING_TOKENS: Final = _words("complete completed done finished passed closed approved confirmed succeeded")

#: First words of a phrase by which a thing was only handed on: "assigned to translator", "with the printer".
HANDED_ON: Final = _words("assigned handed passed forwarded routed referred escalated allocated given delegated with")

#: Two words of an open end: "to be assigned", "subject to funding", "on request", "needs countersignature".
OPEN_PAIRS: Final = frozenset(
    """to_be subject_to needs_a waits_for wait_for wait_list waiting_list reserve_list for_approval for_review
    for_signature for_confirmation in_review under_review in_progress on_request on_hold in_queue looking_for
    searching_for not_yet none_yet yet_to selected_for applied_for additional_documents more_information
    additional_information needs_approval needs_review needs_signature needs_confirmation needs_action
    requires_approval requires_review requires_signature requires_confirmation confirmation_needed
    approval_needed approval_required confirmation_required signature_required review_required
    signature_needed review_needed""".split()
)

#: Codes that are a whole status, in capitals as their standards write them. Sources: ISO 20022 (external payment
#: status), SLURM job states, IATA AIRIMP segment codes, HL7 v2 acknowledgements, EDIFACT and X12 997.
OPEN_CODES: Final = _words("PDNG ACSP ACCP ACTC ACWC ACWP ACFC RCVD PD CF CG HL TL LL PN HN DL SA PEND WAIT Q WL")
FAILED_CODES: Final = _words("RJCT REJ REJD NOK BLCK NAK NACK AE AR CE CR NO UN UC UU OOM TO NF BF SE")

#: Words that end in -ing and are no act going on.
NO_GOING_ON: Final = _words(
    """
    nothing booking listing building warning meeting hearing training opening outgoing incoming upcoming existing
    remaining following recurring shipping billing mailing parking working missing string thing morning evening
    sterling ring king bring spring wing sing everything something anything operating clearing rating setting
    marketing manufacturing engineering leading standing ceiling trending living
    """
)

#: Acts that are done while they go on: music that is playing, a machine that is recording.
LASTING_VERBS: Final = _words(
    """
    play stream follow watch monitor record charge track listen heat cool hold show display broadcast water irrigate
    mow ring host guard run start begin launch resume open share
    """
)

#: Verbs that only set something going, and what then stands for done.
STARTING_VERBS: Final = _words("start launch trigger begin initiate kick spin boot wake resume fire")
STARTED_WORDS: Final = _words(
    "started starting running in_progress inprogress triggered initiated launched active processing"
)

#: Verbs that hand something in; that it was received, or is looked at, is all that they can reach.
HANDING_IN_VERBS: Final = _words("submit apply request lodge propose nominate enter appeal ask suggest")
HANDING_IN_WORDS: Final = _words(
    "received submitted lodged waiting review reviewing requested registered proposed accepted"
)

#: Things that wait for somebody's answer once they are sent, and the states that says so.
ASKING_THINGS: Final = _words("invite invites invitation invitations request requests offer proposal application")
ASKING_WORDS: Final = _words("pending sent received open")

#: Verbs of booking, whose success is that something is scheduled, and things with a date that any verb schedules.
BOOKING_VERBS: Final = _words("book schedule reschedule arrange plan")
DATED_THINGS: Final = _words(
    """
    appointment appointments meeting event visit interview call session pickup viewing scan shift class lesson
    inspection reminder exam consultation demo tour collection checkup slot maintenance
    """
)

#: Verbs whose object is what they bring about: `place_hold` ends in a hold, `create_draft` in a draft.
GIVING_VERBS: Final = _words(
    """
    place put join add create make send submit move set raise open request mark apply enter give save store keep write
    compose prepare generate issue start take schedule queue draft hold return order assign propose refer register
    turn switch change mute get
    """
)

#: Verbs that end or undo a thing, so that the thing's own word is no success of theirs.
UNDOING_VERBS: Final = _words(
    """
    cancel remove delete release lift clear revoke reject decline deny undo reverse withdraw close stop end void approve
    """
)

#: Verbs that put something before others: a draft is not that.
OUTWARD_VERBS: Final = _words(
    "publish send post submit file issue release announce launch share email forward reply deliver pay"
)

#: Participles of verbs that the table of verbs has not.
MORE_PARTICIPLES: Final = {
    "fly": ("flown",),
    "lend": ("lent",),
    "spend": ("spent",),
    "cut": ("cut",),
    "hit": ("hit",),
    "bid": ("bid",),
    "let": ("let",),
    "feed": ("fed",),
    "drive": ("driven",),
    "bring": ("brought",),
    "catch": ("caught",),
    "find": ("found",),
    "freeze": ("frozen",),
    "unfreeze": ("unfrozen",),
    "overwrite": ("overwritten",),
    "rewrite": ("rewritten",),
    "rebuild": ("rebuilt",),
    "undo": ("undone",),
    "do": ("done",),
    "get": ("got", "obtained"),
    "lay": ("laid",),
    "teach": ("taught",),
    "sow": ("sown", "sowed"),
    "mow": ("mown", "mowed"),
    "shut": ("shut",),
    "seek": ("sought",),
    "lead": ("led",),
    "break": ("broken",),
    "wake": ("woken",),
    "see": ("seen",),
    "rebook": ("rebooked",),
    "repay": ("repaid",),
    "prepay": ("prepaid",),
    "resell": ("resold",),
    "rerun": ("rerun",),
    "split": ("split",),
    "cast": ("cast",),
    "quit": ("quit",),
    "spin": ("spun",),
    "wind": ("wound",),
    "enrol": ("enrolled",),
    "ship": ("shipped",),
    "refer": ("referred",),
    "transfer": ("transferred",),
}

#: Other participles by which desks and interfaces tell the same act.
SAME_ACTS: Final = {
    "ship": ("dispatched", "despatched", "fulfilled"),
    "dispatch": ("shipped", "sent"),
    "send": ("dispatched", "emailed", "mailed", "notified"),
    "email": ("sent",),
    "text": ("sent",),
    "notify": ("sent", "informed"),
    "charge": ("captured", "debited", "billed"),
    "pay": ("disbursed", "settled", "transferred"),
    "transfer": ("moved", "executed", "settled"),
    "move": ("transferred", "rescheduled", "relocated"),
    "reschedule": ("moved", "rebooked"),
    "publish": ("released", "posted"),
    "release": ("published",),
    "post": ("published",),
    "delete": ("removed", "purged", "destroyed"),
    "remove": ("deleted",),
    "buy": ("filled", "executed", "purchased"),
    "sell": ("filled", "executed"),
    "trade": ("filled", "executed"),
    "order": ("placed",),
    "purchase": ("bought", "placed"),
    "book": ("reserved", "confirmed"),
    "reserve": ("booked", "confirmed"),
    "rent": ("reserved", "booked"),
    "hire": ("reserved", "booked", "engaged"),
    "enrol": ("registered",),
    "enroll": ("registered",),
    "register": ("enrolled",),
    "update": ("changed", "modified", "saved"),
    "change": ("updated", "modified"),
    "edit": ("updated", "changed", "saved"),
    "modify": ("updated", "changed"),
    "adjust": ("updated", "changed"),
    "create": ("added", "inserted"),
    "add": ("created", "inserted"),
    "insert": ("added", "created"),
    "admit": ("assigned",),
    "deploy": ("released",),
    "translate": ("finished",),
    "make": ("created",),
    "renew": ("extended",),
    "extend": ("renewed",),
    "close": ("resolved",),
    "resolve": ("closed",),
}

#: Keys of a body that is the record of something the call touched, an order say: its status is the
#: record's own ("processing" is an order that was paid), not what became of the call. Sources: Shopify,
#: WooCommerce, tau-bench.
RECORD_KEYS: Final = _words("items lineitems orderitems products paymenthistory fulfillments flights passengers orders")

#: Words that say that the work goes on, under whatever key that ends in `status`. Source: AWS, Azure and
#: Kubernetes life cycles.
TRANSITIONS: Final = _words(
    """
    modifying creating updating deploying provisioning deleting terminating rebooting restarting
    resizing scaling upgrading migrating installing configuring in_progress inprogress progressing
    backing_up restoring
    """
)

#: Answers of a protocol: the call was taken, whatever becomes of it.
PROTOCOL_WORDS: Final = _words("ok okay success successful succeeded true yes 200 received accepted processed")

#: What a sentence of a result says where the end is open, as regular expressions without regard to case. Each is
#: tried on one bounded sentence of an acting tool that nowhere says that its own act was done.
_DECIDED: Final = (
    r"(?:accept|approv|confirm|refus|reject|decid|declin|process|complet|verif|grant|review|assess|allocat)"
)
OPEN_SENTENCES: Final = (
    r"\b(?:is|are|was|were|has|have|will|can|does|do|be)(?:not| not|n['\u2019]t) (?!\w{0,20}[ai]ble\b)"
    r"(?:[\w-]{1,20} ){1,6}?(?:until|unless|before) (?!\d|noon|midnight|mon|tue|wed|thu|fri|sat|sun)",
    r"\b(?:not|n['\u2019]t|none|nobody|no \w{1,20}) (?:[\w-]{1,20} ){0,4}?yet\b|\bnot yet\b|\byet to be\b",
    r"\b(?:awaiting|awaits)\b|\bwait(?:s|ing)? (?:for|on) (?!up\b)|(?<!no )(?<!0 )(?<![-_/.])\bpending\b(?![-_/.]\w)",
    r"\bon (?:the |a |our )?(?:wait(?:ing)?[ -]?list|stand-?by|back-?order|hold|request)\b|\bwait-?listed\b"
    r"|\b(?:reserve|standby|waiting) (?:list|queue)\b|\bin (?:the |a |our )(?:[\w-]{1,20} ){0,2}?queue\b"
    r"|\bremains? (?:[\w-]{1,20} ){1,5}?until (?!\d|noon|midnight|mon|tue|wed|thu|fri|sat|sun)",
    r"\b(?:held|parked|queued|staged|lined up|put aside|saved|stored|kept) (?:for|until|pending|behind) "
    r"(?:\w{1,20} ){0,3}?(?:release|approval|moderation|review|check|inspection|the next|later|when|processing"
    r"|clearance)",
    r"\b(?:stored|saved|kept|left|remains?) (?:as (?:a )?drafts?|in (?:the |your )?(?:queue|drafts?|outbox"
    r"|spool|inbox))\b",
    r"\b(?:in|under|up for) (?:review|consideration|investigation|assessment)\b|\bin progress\b"
    r"|\b(?:is|are) (?:now |still |currently )?being \w{2,20}(?:ed|en|nt)\b",
    r"\bsubject to (?:[\w'\u2019-]{1,20} ){0,4}?(?:approv|confirm|availab|review|accept|clear|payment|credit"
    r"|verif|consent"
    r"|minimum|signature|check|audit|inspection|funding|agreement)",
    r"\b(?:needs?|requires?|must|has to|have to|needed|wants) (?:[\w'\u2019-]{1,20} ){0,6}?(?:approv"
    r"|authori[sz]|sign\b|sign-?off"
    r"|signed|signature|countersign|confirm|review|consent|ratif)",
    r"\b(?:once|as soon as|when|after|if|until) (?:[\w'\u2019-]{1,20} ){1,6}?(?:approves?|approved|confirms?"
    r"|confirmed|accepts?"
    r"|accepted|authori[sz]e[sd]?|signs?|signed|countersigns?|clears|cleared|verified|verifies|agrees?|decides?|decided"
    r"|reconnects?|votes?|ratif\w{2,4}|replies|replied)\b",
    r"\b(?:will|shall|to|then) (?:then |now |first |usually )?(?:decide|review|assess|consider|determine|try to|attempt"
    r"|get back|let you know|look (?:at|into)|rule on|vote)\b|\bwill confirm\b|\bdecides (?:on|by|within|next)\b",
    rf"\b(?:informed|notified|told|contacted|e-?mailed|hear|know) (?:[\w-]{{1,20}} ){{0,3}}?(?:once|when|if"
    rf"|as soon as|after"
    rf"|whether) (?:[\w-]{{1,20}} ){{0,8}}?{_DECIDED}",
    r"\bto be (?:confirmed|assigned|allocated|announced|decided|determined|scheduled|approved|agreed)\b",
    r"\b(?:tentative|provisional|pencill?ed|preliminar)\w{0,3}\b|\bconditional(?:ly)? (?:on|upon|accept|approv)",
    r"\b(?:window|run|cycle|batch|cut-?off|pass|settlement|registration|sales?|check-?in) (?:only )?(?:opens"
    r"|starts|begins)\b"
    r"|\bopens (?:at )?\d",
    r"\b(?:takes?|comes? into|taking) (?:effect|force) (?:only )?(?:once|after|when|if)\b",
    r"\b(?:passed|handed|forwarded|referred|routed|escalated) (?:on |over )?to\b|\bsent (?:on )?(?:to"
    r"|for) (?:[\w-]{1,20} )"
    r"{0,3}?(?:approv|review|decision|signature|check)",
    r"\b(?:has|have) not (?:yet )?(?:replied|answered|responded|decided|signed|agreed|acknowledged)\b"
    r"|\bno (?:reply|answer"
    r"|response|decision|acknowledge?ment) (?:so far|yet)\b",
    r"\b(?:starts?|begins?|runs?|resumes?) (?:only )?(?:once|after|when|as soon as) ",
    r"\b(?:tbc|tbd|tba)\b|\bbackordered\b|\bqueue position\b|\bposition in (?:the )?queue\b",
)

#: Things that only prepare an act, and participles of their making: "Requisition raised", "Pick list generated".
FORERUNNERS: Final = _words(
    """
    requisition request quote quotation proforma application proposal appeal picklist list instruction instructions
    job workorder wo work ticket offer enquiry inquiry workflow draft tender petition ballot nomination indent
    """
)
FORERUN: Final = _words(
    """
    raised generated created opened prepared logged lodged submitted received registered sent transmitted noted
    forwarded drafted issued recorded uploaded placed filed acknowledged
    """
)
#: Verbs whose success is such a thing.
FORERUNNING_VERBS: Final = _words(
    """
    report escalate request submit apply contact complain ask propose notify log raise flag lodge appeal dispute refer
    claim alert message send email tender nominate return start launch trigger queue enqueue schedule prepare draft
    open record register document
    """
)
