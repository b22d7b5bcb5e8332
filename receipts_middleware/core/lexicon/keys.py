"""Keys of a result's body that say how the call ended, or name what it made.

Keys are compared in lower case without underscores and hyphens.
"""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


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
