"""Which verbs may stand for one another, which nouns name one thing, and what medium a message goes by.

Data only, in stems (see `words`). English. Sources: names and descriptions of tools of public agent benchmarks and
of MCP servers, and the words that replies use for what those tools do; every row joins words that were seen for one
act.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from receipts_middleware.core.binding.words import stem
from receipts_middleware.core.tables import table_of


def _index(rows: Mapping[str, str]) -> Mapping[str, frozenset[str]]:
    """Stems of words to the names of their rows."""

    def make() -> Mapping[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for name, words in rows.items():
            for word in words.split():
                found.setdefault(stem(word), set()).add(name)
        return {word: frozenset(names) for word, names in found.items()}

    return table_of(make)


def _phrasal(text: str) -> Mapping[tuple[str, str], str]:
    """Stems of a verb, and its particle, to the stem of what both mean."""

    def make() -> Mapping[tuple[str, str], str]:
        found: dict[tuple[str, str], str] = {}
        verb = ""
        for word in text.split():
            if word.endswith(":"):
                verb = stem(word[:-1])
            else:
                particle, _, meaning = word.partition("=")
                found[verb, particle] = stem(meaning)
        return found

    return table_of(make)


#: Acts under which words of acting meet. A verb may be in several.
VERB_FAMILIES: Final = _index(
    {
        "tell": """send email mail message notify inform tell text sms dm ping write reply respond forward contact
            alert let announce broadcast deliver dispatch resend remind page fire cc copy answer communicate pass
            relay fax brief advise apprise nudge poke buzz ring phone call radio signal transmit circulate
            distribute whatsapp acquaint chase prod summon warn caution instruct tip loop despatch""",
        "post": "post publish announce share send write comment broadcast tweet put submit",
        "invite": "invite add send enroll enrol register include ask",
        "create": """create add make open file raise log register insert append record enter save write draft build
            generate establish compose produce prepare put place lodge initiate start new issue submit set define
            provision spin init seed introduce include attach mint spawn author pen jot formulate craft assemble
            erect instantiate render construct""",
        "schedule": """schedule book reserve create add set plan arrange put block reschedule move postpone slot
            pencil hold place make secure confirm get slate diarise diarize earmark timetable roster program
            programme fix fit squeeze lock grab snag bag line keep allot allocate calendar""",
        "update": """update change edit modify set adjust move rename revise amend correct fix replace switch bump
            raise lower increase decrease reduce extend reset patch configure upgrade downgrade mark transition
            toggle apply convert put resize scale enter record rewrite swap tweak refresh reflect advance shift cut
            boost drop trim override sync fill tune turn dim rotate cap lift ease tighten widen top spend alter redo
            rework retouch retune recalibrate calibrate rejig revamp overhaul realign align refine retitle repoint
            redirect reroute nudge hike slash halve double triple round clip shorten lengthen prolong backdate
            reprice emend rectify straighten harmonise normalise personalise customise knock bring repair""",
        "tag": "tag label mark flag add apply set categorise categorize star pin classify badge code annotate",
        "delete": """delete remove drop clear erase purge archive wipe discard clean trash take uninstall unpublish
            detach empty strip rid eliminate unlink prune bin scrap ditch dump toss chuck junk nuke zap kill expunge
            strike scrub shred destroy eradicate obliterate evict eject expel oust kick boot retire decommission
            sunset excise weed cull unlist delist deregister dispose pull withdraw hide""",
        "cancel": """cancel void abort revoke terminate delete stop end withdraw call remove undo close scrap ax axe
            annul rescind nullify repeal invalidate scrub drop discontinue quit unbook release retract recall pull
            kill cease""",
        "pay": """pay charge transfer send wire settle reimburse credit debit deposit move buy purchase fund
            disburse remit foot clear dispatch push load bankroll cover square defray discharge payout advance tip
            bill invoice levy collect capture deduct dock hit take top ring""",
        "refund": """refund reimburse return credit reverse pay issue repay process give rebate compensate
            recompense restore unwind remit send put hand""",
        "waive": "waive forgive remove credit refund adjust comp write forgo excuse lift drop cancel discount",
        "buy": """buy purchase order reorder book reserve get checkout pay place acquire procure pick snag grab source
            requisition commission secure obtain""",
        "close": """close resolve complete finish mark end transition update settle conclude wrap set shut finalise
            finalize seal terminate archive retire tick check cross sign""",
        "approve": """approve accept authorise authorize sign confirm grant ok respond clear endorse greenlight
            green-light okay ratify sanction pass countersign validate bless wave""",
        "decline": "decline reject deny refuse respond turn rebuff veto dismiss bounce spurn disapprove nix knock",
        "assign": """assign give hand set own reassign delegate allocate transfer route put dispatch allot designate
            appoint name team pair match attach dole distribute detail deputise deploy post place roster entrust
            nominate pass book tap move""",
        "grant": """grant give add enable allow share assign permit provide authorise authorize set entitle
            provision unlock onboard whitelist allowlist elevate promote empower issue award let admit hand""",
        "run": """start launch run trigger kick execute begin initiate fire invoke perform do boot spin crank set
            commence ignite rerun re-run schedule""",
        "restart": "restart reboot bounce reset cycle recycle relaunch reload kick power",
        "deploy": """deploy ship release roll push publish launch rollout promote redeploy distribute put take
            upgrade update""",
        "enable": """enable activate turn switch set unlock start resume allow arm light power fire reinstate unmute
            unblock unfreeze open lift""",
        "disable": """deny disable deactivate turn switch set lock stop suspend pause revoke disarm mute silence
            block freeze shut kill power unplug disconnect cut halt gate bar close take""",
        "pause": "pause suspend hold stop freeze put halt",
        "resume": "resume restart reactivate unpause reinstate restore lift",
        "share": "share give grant invite send add permit",
        "upload": "upload attach add put import save push store submit",
        "download": "download save export fetch pull get",
        "copy": "copy duplicate clone backup back save keep replicate snapshot mirror reproduce photocopy",
        "move": """move transfer relocate put shift file migrate drag pull push place carry cart haul shuttle bring
            port rehome swap bump transplant redeploy reschedule bring hand send""",
        "export": "export save download write dump extract generate produce",
        "import": "import load upload ingest add bring sync pull carry migrate",
        "escalate": "escalate transfer hand route forward raise pass flag handoff connect refer bump elevate kick",
        "submit": """submit file send lodge enter post hand complete fill register apply put tender declare upload
            deposit table transmit present log pass report notify""",
        "save": """save store write keep put record update persist stash bank park tuck file archive preserve cache
            deposit note""",
        "fix": """fix correct repair resolve edit patch update change amend mend remedy rectify sort straighten iron
            cure heal debug adjust restore""",
        "install": "install add set deploy upgrade update",
        "click": "click press hit tap select choose submit push",
        "type": "type fill enter input write put populate complete",
        "register": "register enroll enrol sign subscribe add join create check admit log file record enter",
        "subscribe": "subscribe sign add enroll enrol register opt",
        "unsubscribe": "unsubscribe remove opt cancel delete",
        "rename": "rename call title name update change move",
        "renew": "renew extend prolong update roll continue reissue re-up top",
        "replace": "replace swap exchange substitute change switch trade supersede",
        "merge": """merge combine join consolidate squash dedupe fold unify blend fuse amalgamate roll stitch pool
            link""",
        "print": "print generate produce make create issue spool output press impose run",
        "log": "log record note enter track add clock write document report jot minute chalk mark tally",
        "report": "report file lodge raise flag submit notify tell register declare alert log escalate open",
        "snooze": "snooze postpone delay defer push",
        "restock": "restock replenish refill reorder top fill",
        "ban": "deny bar refuse reject ban block kick remove suspend mute",
        "admit": "admit register check enroll enrol",
        "dispense": "dispense fill issue release give hand serve provide distribute deliver ship",
        "lock": "lock secure close freeze disable bolt latch seal fasten shut bar",
        "unlock": "unlock open release enable unbolt unseal unlatch free",
        "quarantine": "deny bar quarantine isolate contain block hold move impound segregate sequester",
        "acknowledge": "acknowledge ack confirm accept mark",
        "revert": "revert restore roll undo rollback reset unwind rewind back return reverse",
        "react": "react like thumbs add star vote emoji",
        "play": "play start queue put stream",
        "donate": "donate give pay contribute send charge pledge chip gift",
        "navigate": "navigate open visit go load launch browse goto",
        "ship": "ship dispatch despatch send mail courier post deliver forward consign freight",
        "seat": "seat place table tuck sit put allocate assign",
        "connect": "connect link hook wire plug bind pair attach associate couple join integrate sync map",
        "disconnect": "disconnect unlink unbind unpair detach decouple unplug remove release kick free evict",
        "release": "release free let drop clear discharge hand give issue unblock lift unhold return publish",
        "hold": "hold keep retain reserve withhold freeze block pause park place",
        "collect": "collect pick fetch retrieve gather receive take",
        "measure": "measure weigh read meter gauge sample take record log",
        "issue": "issue give hand grant release mint print generate send award serve produce make",
        "transfer": "transfer move hand port convey pass wire send shift assign migrate carry",
        "translate": "translate render localise localize convert interpret transcribe",
        "convert": "convert transcode turn change transform translate encode export render process",
        "transcode": "transcode convert encode render process",
        "sign": "sign countersign initial execute endorse approve authorise",
        "calibrate": "calibrate tune adjust zero align set",
        "water": "water irrigate sprinkle spray feed",
        "serve": "serve deliver hand issue give notify",
        "credit": "credit add give apply refund put load grant",
        "discount": "discount reduce apply knock take comp give deduct",
        "extend": "extend prolong lengthen renew push stretch add keep give",
        "allocate": "allocate assign allot earmark distribute share divide apportion split give put",
        "enroll": "enroll enrol register sign add admit place put get join book",
        "withdraw": "withdraw pull remove take drop retract recall leave cancel",
        "notify": "notify tell inform alert brief advise message warn page let loop",
        "verify": "verify confirm validate check authenticate vet",
        "subtract": "subtract deduct take remove reduce debit charge",
    }
)  # fmt: skip

#: Verb and particle -> the verb that says the same in one word. Source: phrasal verbs of everyday English.
PHRASAL: Final = _phrasal(
    """
    rip: out=remove
    turn: down=reject off=disable on=enable in=submit up=raise over=transfer
    switch: off=disable on=enable over=switch
    shut: down=disable off=disable
    power: down=disable up=enable off=disable on=enable
    fire: off=send up=start
    send: out=send off=send on=forward over=send back=return through=submit
    call: off=cancel back=recall up=call in=call
    put: through=process out=publish up=post in=submit down=record off=postpone back=return on=add forward=submit
      aside=reserve
    take: off=remove down=remove out=remove on=add over=transfer away=remove back=return
    knock: off=remove back=decline down=reduce
    strike: off=remove out=remove
    cross: off=close out=remove
    tick: off=close
    mark: off=close down=reduce up=raise
    check: off=close in=register out=checkout
    sign: up=register off=approve on=register in=login out=revoke
    log: off=logout out=logout in=login
    loop: in=notify
    copy: in=notify over=copy across=copy
    bring: in=add forward=reschedule back=restore up=start down=reduce over=migrate across=migrate
    push: back=postpone out=publish through=process forward=reschedule live=publish
    move: up=reschedule back=reschedule over=migrate across=migrate out=remove in=add
    set: up=create aside=reserve off=start back=postpone
    spin: up=create down=stop
    stand: up=create down=cancel
    tear: down=delete up=delete
    roll: back=revert out=deploy over=renew up=merge
    write: off=waive up=document down=record back=reply out=create
    note: down=record
    jot: down=record
    type: up=write
    draw: up=create down=withdraw
    line: up=schedule
    pencil: in=schedule
    slot: in=schedule
    squeeze: in=schedule
    fit: in=schedule
    book: in=schedule out=reserve off=reserve
    lock: in=confirm down=lock out=block
    let: in=admit go=release off=waive out=release
    free: up=release
    hand: over=transfer in=submit out=distribute back=return off=transfer on=forward
    pass: on=forward along=forward over=transfer
    give: back=refund out=distribute away=donate up=cancel
    pay: out=pay back=refund off=pay up=pay in=deposit
    top: up=fund
    ring: up=charge
    cut: off=disconnect out=remove down=reduce back=reduce
    scale: up=resize down=resize back=resize
    ramp: up=raise down=reduce
    dial: up=raise down=lower back=lower
    bump: up=raise down=lower
    clear: out=delete up=fix away=delete
    clean: up=delete out=delete
    wipe: out=delete off=delete
    throw: out=discard away=discard
    chuck: out=discard
    kick: out=remove off=start
    boot: out=remove up=start off=remove
    back: up=backup out=revert
    pull: down=remove out=withdraw back=recall up=retrieve in=import off=remove
    team: up=assign
    pair: up=assign
    match: up=assign
    hook: up=connect
    wire: up=connect
    plug: in=connect
    link: up=connect
    patch: up=fix through=connect
    sort: out=fix
    iron: out=fix
    straighten: out=fix
    fill: in=complete out=complete up=refill
    wind: up=close down=close
    close: out=close down=close off=close up=close
    carry: over=migrate across=migrate
    port: over=migrate across=migrate
    swap: out=replace over=replace in=replace
    change: over=switch out=replace
    trade: in=exchange
    block: off=block out=block
    opt: out=unsubscribe in=subscribe
    drop: off=deliver out=withdraw in=add
    pick: up=collect
    stock: up=restock
    hold: back=hold off=postpone over=postpone
    keep: back=hold
    queue: up=queue
    tee: up=prepare
    start: up=start over=restart
    open: up=open
    split: up=split
    share: out=distribute
    dish: out=distribute
    dole: out=distribute
    farm: out=delegate
    ship: out=ship off=ship
    get: out=send back=return in=admit
    go: out=send back=refund
    run: off=print up=create
    charge: back=refund
    lay: in=add on=provide off=dismiss
    rub: out=delete
    wash: out=delete
    phase: out=retire
    thin: out=reduce
    whittle: down=reduce
    pare: down=reduce back=reduce
    trim: down=reduce back=reduce
    step: up=raise down=reduce
    scratch: out=delete off=cancel
    stick: on=add up=post in=add
    pop: in=add on=add over=send
    slip: in=add
    tack: on=add
    add: on=add in=add up=sum
    tip: off=notify
    clue: in=notify
    fend: off=block
    wave: through=approve
    """
)

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
