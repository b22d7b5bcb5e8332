"""Which verbs may stand for one another, which nouns name one thing, and what medium a message goes by.

Data only, in stems (see `words`). English. Sources: names and descriptions of tools of public agent benchmarks and
of MCP servers, and the words that replies use for what those tools do; every row joins words that were seen for one
act.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.binding.words import stem


def _index(rows: Mapping[str, str]) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for name, words in rows.items():
        for word in words.split():
            found.setdefault(stem(word), set()).add(name)
    return {word: frozenset(names) for word, names in found.items()}


#: Acts under which words of acting meet. A verb may be in several.
VERB_FAMILIES: Final = _index(
    {
        "tell": """send email mail message notify inform tell text sms dm ping write reply respond forward contact
            alert let announce broadcast deliver dispatch resend remind page fire cc copy answer communicate pass relay
            fax""",
        "post": "post publish announce share send write comment broadcast tweet put submit",
        "invite": "invite add send enroll enrol register include ask",
        "create": """create add make open file raise log register insert append record enter save write draft
            build generate establish compose produce prepare put place lodge initiate start new issue submit set
            define provision spin init seed introduce include attach""",
        "schedule": """schedule book reserve create add set plan arrange put block reschedule move postpone slot
            pencil hold place make secure confirm get""",
        "update": """update change edit modify set adjust move rename revise amend correct fix replace switch bump
            raise lower increase decrease reduce extend reset patch configure upgrade downgrade mark transition toggle
            apply convert put resize scale enter record rewrite swap tweak refresh reflect advance shift cut boost
            drop trim override sync fill tune turn dim rotate cap lift ease tighten widen top spend""",
        "tag": "tag label mark flag add apply set categorise categorize star pin",
        "delete": """delete remove drop clear erase purge archive wipe discard clean trash take uninstall unpublish
            detach empty strip rid eliminate unlink prune""",
        "cancel": "cancel void abort revoke terminate delete stop end withdraw call remove undo close",
        "pay": """pay charge transfer send wire settle reimburse credit debit deposit move buy purchase fund
            disburse remit""",
        "refund": "refund reimburse return credit reverse pay issue repay process give",
        "waive": "waive forgive remove credit refund adjust comp write",
        "buy": "buy purchase order book reserve get checkout pay place acquire",
        "close": "close resolve complete finish mark end transition update settle conclude wrap set",
        "approve": "approve accept authorise authorize sign confirm grant ok respond clear endorse",
        "decline": "decline reject deny refuse respond turn",
        "assign": "assign give hand set own reassign delegate allocate transfer route put dispatch",
        "grant": "grant give add enable allow share assign permit provide authorise authorize set",
        "run": "start launch run trigger kick execute begin initiate fire invoke perform do",
        "restart": "restart reboot bounce reset cycle recycle relaunch reload kick power",
        "deploy": "deploy ship release roll push publish launch rollout promote",
        "enable": "enable activate turn switch set unlock start resume allow arm",
        "disable": """disable deactivate turn switch set lock stop suspend pause revoke disarm mute silence block freeze
            shut""",
        "pause": "pause suspend hold stop freeze put halt",
        "resume": "resume restart reactivate unpause reinstate restore lift",
        "share": "share give grant invite send add permit",
        "upload": "upload attach add put import save push store submit",
        "download": "download save export fetch pull get",
        "copy": "copy duplicate clone backup back save keep replicate snapshot",
        "move": "move transfer relocate put shift file migrate drag pull push place",
        "export": "export save download write dump extract generate produce",
        "import": "import load upload ingest add bring sync",
        "escalate": "escalate transfer hand route forward raise pass flag handoff connect",
        "submit": "submit file send lodge enter post hand complete fill register apply",
        "save": "save store write keep put record update persist",
        "fix": "fix correct repair resolve edit patch update change amend",
        "install": "install add set deploy upgrade update",
        "click": "click press hit tap select choose submit push",
        "type": "type fill enter input write put populate complete",
        "register": "register enroll enrol sign subscribe add join create",
        "subscribe": "subscribe sign add enroll enrol register opt",
        "unsubscribe": "unsubscribe remove opt cancel delete",
        "rename": "rename call title name update change move",
        "renew": "renew extend prolong update",
        "replace": "replace swap exchange substitute change switch",
        "merge": "merge combine join consolidate squash dedupe fold",
        "print": "print generate produce make create issue",
        "log": "log record note enter track add clock write document report",
        "report": "report file lodge raise flag submit notify tell register",
        "snooze": "snooze postpone delay defer push",
        "restock": "restock replenish refill reorder top fill",
        "ban": "ban block kick remove suspend mute",
        "admit": "admit register check enroll enrol",
        "dispense": "dispense fill issue release give hand",
        "lock": "lock secure close freeze disable",
        "unlock": "unlock open release enable",
        "quarantine": "quarantine isolate contain block hold move",
        "acknowledge": "acknowledge ack confirm accept mark",
        "revert": "revert restore roll undo rollback reset",
        "react": "react like thumbs add star vote emoji",
        "play": "play start queue put stream",
        "donate": "donate give pay contribute send charge",
    }
)  # fmt: skip

#: Verbs that name no particular act: any acting call may be what they speak of.
GENERIC_VERBS: Final = frozenset(
    stem(word)
    for word in """do process handle sort complete finish take get make manage perform execute deal address arrange
    finalise finalize implement carry go wrap settle square accomplish proceed""".split()
)

#: Nouns that name one thing.
NOUN_FAMILIES: Final = _index(
    {
        "email": "email mail inbox e-mail gmail outlook smtp newsletter mailbox",
        "sms": "sms text txt twilio phone",
        "chat": "slack teams discord channel dm chat thread message",
        "event": "event meeting calendar appointment call sync invite invitation session reminder block slot",
        "ticket": "ticket issue case bug task story card todo item incident jira linear",
        "pr": "pr pull request mr merge",
        "payment": "payment charge transaction transfer invoice bill money funds wire",
        "refund": "refund reimbursement credit money",
        "order": "order purchase cart basket",
        "file": "file document doc pdf script page sheet report folder copy",
        "user": "user account profile customer member contact client employee person",
        "address": "address street location shipping",
        "table": "table reservation booking seat restaurant",
        "room": "room hotel reservation booking stay",
        "flight": "flight ticket seat booking reservation",
        "subscription": "subscription plan membership seat",
        "note": "note comment memo remark annotation activity",
        "label": "label tag",
        "deployment": "deployment service pod stack release rollout image",
        "database": "database db sql row record table query",
        "alert": "alert alarm notification incident",
        "role": "role permission access",
        "post": "post article tweet announcement page",
        "prescription": "prescription medication refill rx drug",
        "shipment": "shipment parcel package delivery order",
        "light": "light lamp bulb",
        "door": "door lock gate",
        "thermostat": "thermostat temperature heating",
    }
)

#: Media that exclude one another: what went out by one did not go out by another.
MEDIA: Final = _index(
    {
        "email": "email e-mail mail inbox gmail outlook smtp ses sendgrid mailgun postmark mailbox",
        "sms": "sms txt twilio whatsapp",
        "chat": "slack teams discord dm telegram mattermost channel",
        "phone": "voice dial",
    }
)
#: Verbs that say by which medium.
MEDIUM_VERBS: Final[Mapping[str, str]] = {
    "email": "email", "mail": "email", "e-mail": "email", "text": "sms", "sms": "sms", "dm": "chat", "phone": "phone",
}  # fmt: skip
