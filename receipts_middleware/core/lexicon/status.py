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
OPEN_END_TOKENS: Final = _words(
    "awaiting pending queued waiting requested scheduled pdng enqueued assigned handed lodged spooling rendering review"
)

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
