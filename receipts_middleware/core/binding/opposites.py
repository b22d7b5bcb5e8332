"""Tables of words that exclude each other, of words that mean one thing, and of superlatives; broad on purpose."""

from __future__ import annotations

from functools import cache
from typing import Final

from receipts_middleware.core.binding.words import stem
from receipts_middleware.core.tables import table_of


def _stems(row: str) -> frozenset[str]:
    return frozenset(stem(word) for word in row.split())


#: Members of one sort, of which a thing has one at a time.
SORTS: Final = tuple(
    frozenset(row.split())
    for row in (
        "economy business first premium",
        "red blue green black white yellow orange purple brown grey silver pink",
        "small medium large",
        "single double twin suite",
        "debit credit",
        "daily weekly fortnightly monthly quarterly annual yearly",
        "critical major minor trivial",
        "bronze silver gold platinum",
        "monday tuesday wednesday thursday friday saturday sunday",
        "morning afternoon evening overnight",
        "breakfast lunch dinner",
        "vegetarian vegan halal kosher",
        "rain snow sunny cloudy fog",
    )
)
#: A key of one word that an answer of the other kind stands for.
YES_NO: Final = table_of(lambda: {"no": _stems("decline refuse reject"), "yes": _stems("accept attend confirm")})
#: Superlatives: words of the column, and whether the least or the greatest is meant.
SUPERLATIVES: Final = table_of(
    lambda: {
        word: (_stems(columns), side)
        for words, columns, side in (
            ("cheapest", "price fare cost rate total amount fee quote charge premium", "min"),
            ("dearest priciest", "price fare cost rate total amount fee quote charge premium", "max"),
            ("driest", "moisture humidity rain rainfall", "min"),
            ("wettest", "moisture humidity rain rainfall", "max"),
            ("hottest warmest", "temperature temp", "max"),
            ("coldest coolest", "temperature temp", "min"),
            ("longest", "duration length minutes hours days", "max"),
            ("shortest", "duration length minutes hours days", "min"),
            ("nearest closest", "distance km miles metres meters", "min"),
            ("furthest farthest", "distance km miles metres meters", "max"),
            ("heaviest", "weight kg", "max"),
            ("lightest", "weight kg", "min"),
            ("earliest soonest", "departs departure start starts date time due opens eta expires expiry", "min"),
            ("newest latest", "created date published released year", "max"),
            ("oldest", "created opened date year founded built", "min"),
            ("highest largest biggest greatest", "", "max"),
            ("lowest smallest fewest", "", "min"),
        )
        for word in words.split()
    }
)


@cache
def opposed() -> tuple[tuple[frozenset[str], ...], ...]:
    """Sides that cannot both hold of one thing at one time. Several words that mean one thing make up a side."""
    return tuple(
        tuple(_stems(side) for side in row.split("/"))
        for row in (
            "available free vacant bookable unoccupied / unavailable taken occupied booked full busy reserved sold",
            "open pending unresolved queued draft processing todo"
            " / closed done completed finished resolved settled merged",
            "delivered arrived / transit lost returned dispatched shipped pending held cancelled delayed undelivered",
            "paid settled cleared / unpaid overdue outstanding owing arrears",
            "approved accepted granted / rejected declined denied refused pending draft unapproved",
            "active live running online enabled / inactive suspended expired cancelled disabled blocked closed offline"
            " stopped revoked lapsed frozen terminated paused standby idle",
            "passed succeeded successful green healthy ok / failed failing red unhealthy degraded broken error fault",
            "present arrived attended / absent missing cancelled",
            "locked / unlocked",
            "signed / unsigned",
            "furnished / unfurnished",
            "positive / negative",
            "refundable / nonrefundable",
            "valid / invalid expired revoked",
            "punctual / late delayed overdue",
            "public / private",
            "empty / full",
            "confirmed / cancelled tentative unconfirmed pending waitlisted",
            "published / draft unpublished archived",
        )
    )


@cache
def akin() -> tuple[frozenset[str], ...]:
    """Stems that speak of one thing, for keys beside the words of a reply."""
    return tuple(
        _stems(row)
        for row in (
            "decline refuse reject",
            "accept attend confirm yes",
            "absent missing",
            "remaining left",
            "unreachable unresponsive",
            "fine penalty",
            "cost price fare rate",
            "due deadline",
            "excess deductible",
            "passenger traveller",
            "sold sales",
            "people guests attendees participants",
        )
    )


@cache
def adverse() -> frozenset[str]:
    """Counts of what went wrong: with one of them above nought not all went well."""
    return _stems(
        """failed failures failing errors unreachable missing rejected unpaid absent overdue skipped pending held
        declined damaged invalid expired late bounced unresolved cancelled lost incomplete remaining unmatched duplicate
        unresponsive"""
        + " failure"
    )


@cache
def favourable() -> frozenset[str]:
    """What all of a set are said to have done where none is to have gone wrong."""
    return _stems(
        """respond responded pass passed succeed succeeded complete completed process processed deliver delivered arrive
        arrived present paid pay clear cleared reach reached approve approved accept accepted attend attended import
        imported sent send sync synced match matched finish finished check-in ok intact undamaged valid"""
    )
