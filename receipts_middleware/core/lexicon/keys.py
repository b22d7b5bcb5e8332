"""Keys of a result's body that say how the call ended, or name what it made.

Keys are compared in lower case without underscores and hyphens.
"""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STATUS_KEYS: Final = (
    "status", "state", "result", "outcome", "delivery", "deliverystatus", "jobstatus", "statuscode", "statusname",
)  # fmt: skip
SUCCESS_KEYS: Final = _words("success ok successful succeeded issuccess")
#: Keys whose `false` is a refusal where a reason stands beside it: `{"result": false, "reason": "disconnected"}`.
ANSWER_KEYS: Final = ("result", "status", "outcome", "response", "done")
WHY_KEYS: Final = _words("reason why message msg cause explanation reasontext reasoncode")
ERROR_KEYS: Final = _words(
    """
    error errors err errormessage errormessages errorcode errcode errorresult errordescription
    errordetails exception fault lasterror failurereason failuremessage
    usererrors decline declinecode declinereason refusal refusalreason rejectreason rejectionreason
    denialreason failreason
    modelstate validationerrors fielderrors invalidparams invalidfields
    """
)
ERROR_FLAG_KEYS: Final = _words("iserror haserror haserrors failed failure")
HTTP_KEYS: Final = _words("status statuscode httpstatus httpstatuscode http httpcode code responsecode")
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

#: Keys that hold or count what failed of a batch, and endings of keys that hold or count what did not.
LISTS_OF_FAILURE: Final = ("failed", "failures", "rejected", "notsent", "notfound", "unprocessed", "unsuccessful")
COUNTS_OF_SUCCESS: Final = (
    "added",
    "updated",
    "created",
    "sent",
    "deleted",
    "removed",
    "succeeded",
    "successful",
    "success",
    "successes",
    "processed",
    "imported",
    "inserted",
    "applied",
    "modified",
    "completed",
    "uploaded",
    "accepted",
    "passed",
    "delivered",
    "moved",
    "copied",
    "tagged",
    "assigned",
    "closed",
    "cancelled",
    "canceled",
    "paid",
    "booked",
    "ok",
)

#: One level of wrapping that interfaces put around what they return.
ENVELOPE_KEYS: Final = _words("data result response body payload output attributes")

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

#: Keys that are the name of a thing and may hold its id: `{"order": "PO-3312"}`.
THINGS: Final = (
    "key",
    "confirmation",
    "order",
    "booking",
    "envelope",
    "ticket",
    "entry",
    "job",
    "invoice",
    "request",
    "transaction",
    "receipt",
)

#: Words before `status` and its like in a key that still speak of the call: `order_state` belongs to it only where
#: the tool's name says so, `job_status` always.
CALL_PREFIXES: Final = _words(
    """
    job task request tx txn transaction operation process run change sync submission application workflow delivery
    overall current new segment command call action execution batch queue message processing approval approvals review
    effective lifecycle publication publishing posting upload moderation fulfilment fulfillment
    """
)
STATUS_ENDINGS: Final = ("status", "state", "stage", "phase", "sts", "outcome")

#: Keys by which a process says how far it has come, other than status: the value counts where all of it says that
#: the end is open, or that the call failed.
PROCESS_KEYS: Final = _words(
    """
    stage phase decision disposition verdict approval ack acknowledgement acknowledgment command sync workflow
    substatus sts txsts clearance visibility list queue step
    """
)

#: Names for what a booking makes, whatever the tool calls it.
BOOKED_THINGS: Final = _words("reservation booking appointment slot spot place seat pickup hold")

#: Things whose name is a text of somebody's: `{"task": "call about the pending invoice"}`.
TEXT_THINGS: Final = _words(
    """
    task todo note notes reminder message comment title name text issue story card bug event item subject label tag
    reason query content body description summary post reply email log incident entry line
    """
)

#: Verbs that write a state down, so that what stands under the key they name is what was asked.
STATE_WRITERS: Final = _words(
    "record log set update change mark note report save enter store edit add write put patch modify switch toggle"
)

#: Keys of a sentence to the reader; what stands under the last ones may be what was to be noted, so that no refusal is
#: read there.
NOTED_KEYS: Final = _words("note notes remark remarks reason flag info details")
REMARK_KEYS: Final = (
    "message",
    "msg",
    "note",
    "notes",
    "remark",
    "remarks",
    "detail",
    "details",
    "info",
    "hint",
    "notice",
    "resultdesc",
    "statusmessage",
    "statusdetail",
    "statustext",
    "statusreason",
    "responsetext",
    "explanation",
    "next",
    "nextstep",
    "nextsteps",
    "warning",
    "reason",
    "flag",
)

#: Endings of a key that dates or names what the participle or noun before them says: `renewed_until`.
DATED_ENDINGS: Final = ("at", "on", "until", "date", "time", "from", "timestamp", "datetime")
NAMED_ENDINGS: Final = ("number", "no", "id", "ref", "reference", "code", "confirmation", "url", "pdf", "")
#: Keys whose null says that an act has no effect yet, whichever act it was.
EFFECT_KEYS: Final = _words(
    """
    effective effectivedate effectivefrom effectiveat effectiveon executedat processedat appliedat activatedat
    completedat finishedat confirmedat confirmationnumber confirmationcode confirmationid acknowledgedat acceptedat
    ack acknowledgement
    """
)
#: Verbs that make a thing which is completed, confirmed or processed later, by others.
BEGINNING_VERBS: Final = _words(
    """
    create add open start launch begin trigger submit schedule assign order place request log report raise queue apply
    file invite propose refer register plan enqueue save draft make generate set
    """
)

#: Keys that say by `true` that the act was not done, or not yet.
TRUE_IS_OPEN: Final = _words(
    """
    backordered waitlisted onhold deferred provisional tentative awaitingapproval needsapproval approvalrequired
    approvalneeded requiresreview needsreview needsconfirmation awaitingconfirmation standby pendingapproval held
    """
)
#: Keys of a body, and of the arguments that asked for it, that say that the act is only tried out.
TRIED_OUT_KEYS: Final = _words("dryrun simulate simulated simulation whatif preview previewonly validateonly checkonly")
#: Keys that say by `false` that an act came to nothing, whichever act it was.
FALSE_IS_UNDONE: Final = _words("saved persisted written committed executed performed")
#: Keys that say that everything was as wanted before.
NOTHING_TO_DO: Final = ("skipped", "unchanged", "uptodate", "existing", "duplicates", "alreadydone", "already")
#: Counts whose zero says the same, where no other count says that something was done.
ZERO_IS_UNDONE: Final = _words(
    """
    affected rowsaffected affectedrows rowcount updated modified modifiedcount matchedcount changed changes written
    updatedrows rowsupdated updatedcount processed inserted
    """
)
