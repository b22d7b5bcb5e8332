"""Words by which claims are found, as data. English; no code that reads them is here.

Sources: the closed classes (auxiliaries, pronouns, subordinators, irregular verbs) are those of any English
grammar; the rest comes from replies of agents, of which every row stands for a form seen more than once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _pairs(text: str) -> Mapping[str, str]:
    return dict(pair.split("=", 1) for pair in text.split())


#: Irregular past forms and participles -> base form. Source: the common irregular verbs of English grammar.
IRREGULAR: Final[Mapping[str, str]] = _pairs(
    """
    sent=send paid=pay made=make built=build wrote=write written=write put=put gave=give given=give took=take
    taken=take told=tell ran=run began=begin begun=begin brought=bring bought=buy caught=catch chose=choose
    chosen=choose cut=cut drew=draw drawn=draw held=hold kept=keep met=meet reset=reset shut=shut split=split
    swept=sweep taught=teach won=win undid=undo undone=undo rebuilt=rebuild rewrote=rewrite rewritten=rewrite
    resent=resend overwrote=overwrite overwritten=overwrite spoke=speak spoken=speak sold=sell shown=show hid=hide
    hidden=hide froze=freeze frozen=freeze withdrew=withdraw withdrawn=withdraw went=go gone=go got=get gotten=get
    let=let left=leave found=find saw=see seen=see read=read did=do done=do set=set spent=spend lent=lend dealt=deal
    drove=drive driven=drive flew=fly flown=fly threw=throw thrown=throw broke=break broken=break fed=feed led=lead
    hit=hit stuck=stick swapped=swap rang=ring rung=ring said=say came=come fell=fall fallen=fall rose=rise
    risen=rise grew=grow grown=grow lost=lose knew=know known=know thought=think felt=feel heard=hear meant=mean
    understood=understand became=become stood=stand sat=sit slept=sleep redid=redo redone=redo overrode=override
    overridden=override dug=dig hung=hang laid=lay bound=bind wound=wind unset=unset rid=rid quit=quit bid=bid
    spun=spin bent=bend run=run shot=shoot come=come dm'd=dm cc'd=cc bcc'd=bcc ok'd=ok dropped=drop shipped=ship
    committed=commit tied=tie died=die
    """
)
#: Irregular forms that are a past tense only and never stand alone as a participle.
PAST_ONLY: Final = _words(
    """
    wrote gave took ran began drew undid rewrote overwrote spoke hid froze withdrew went did drove flew threw broke
    rang came fell rose grew knew became saw redid overrode
    """
)
#: Words in -ed that are no verb forms, or never an act of an agent. Source: English word lists, agents' replies.
NOT_VERBS: Final = _words(
    """
    need speed feed seed breed proceed indeed exceed succeed bed red shed sled wed fed hundred sacred embed
    unlimited limited united detailed advanced interested excited pleased delighted married related unrelated
    experienced dedicated oled amoled qled weather-related work-related health-related sophisticated talented aged
    beloved wicked naked rugged ragged unprecedented undisputed
    """
)
#: Verbs of saying, thinking, wishing and of mere being: no act on the world, no look either. Base forms.
NON_ACTION: Final = _words(
    """
    understand think believe know feel hope want need wish like love prefer mean seem appear look sound remain stay
    expect assume suppose notice realise realize regret apologise apologize appreciate mention say tell ask suggest
    recommend offer promise agree intend plan decide try attempt fail happen occur exist belong depend matter vary
    include contain consist cost last become hear see get let come go do make require allow relate involve concern
    interest please discuss indicate state note encounter stop overwhelm dress lose craft act experience miss error
    forget receive handle deserve have explain describe outline detail list summarise summarize assist help learn
    work run continue proceed wait face affect cause base name call use see design intend entitle qualify license
    locate situate
    """
)
#: Verbs by which an agent says that it looked, ran or tested. Base forms.
CHECKS: Final = _words(
    """
    check verify confirm review read search look query compare grep inspect examine watch scan test retest visit
    validate audit browse investigate analyse analyze recheck re-check double-check cross-check doublecheck monitor
    trace profile measure calculate compute study consult screen lint fetch retrieve pull locate research skim parse
    count reread re-read see find run rerun re-run explore list identify evaluate assess access
    """
)
#: Those of them that are acts as well, where the object is no source of information.
MIXED_CHECKS: Final = _words("pull run rerun re-run confirm list")
#: Verbs that say only that it was handed in.
ACCEPTED: Final = _words(
    """request queue submit initiate start schedule trigger order enqueue begin kick lodge transmit apply prepare draft
    stage propose line slate pencil route forward refer escalate nominate earmark plan"""
)
#: Verbs and adverbs that say that it was seen afterwards.
CONFIRMED: Final = _words("confirm verify deliver validate receive acknowledge settle")
#: Noun objects with which a light verb is an act.
LIGHT_NOUNS: Final = _words(
    """
    reservation booking payment change changes update updates request order copy backup note notes reminder call
    transfer appointment purchase edit edits adjustment adjustments correction corrections refund deposit entry
    commit arrangement arrangements table chart list draft hold block message word
    """
)
MODALS: Final = _words("will would can could may might shall should must 'll 'd")
HAVE: Final = _words("have has had 've having")
BE: Final = _words("is are was were am be been being 're 'm")
DO: Final = _words("do does did")
GET: Final = _words("get gets got")
NEGATIONS: Final = _words("not n't never no longer neither nor without")
NEGATIVE_SUBJECTS: Final = _words("no nothing none nobody neither")
ADVERBS: Final = _words(
    """
    now also then just already both all since once soon still too again even ever yet only always often first next
    meanwhile finally instead therefore thus hereby so far back hence later together straight right all both each
    either away up otherwise though however today yesterday
    """
)
AGENT: Final = _words("i we")
OTHERS: Final = _words("you he she they who someone somebody anyone everyone")
THINGS: Final = _words("it that this these those everything all there which both")
DETERMINERS: Final = _words(
    """
    the a an this that these those my your his her its our their every each any some no all both another one two
    three four five six seven eight nine ten me us him them you it several
    """
)
PREPOSITIONS: Final = _words(
    """
    to for from with by on in at of as into onto under over via through about against between within before after
    until since during per without out off up down across around along
    """
)
#: Open a clause that is not asserted to be done: condition, time to come, purpose, reason, question.
SUBORDINATORS: Final = _words(
    """
    if unless whether when whenever as once after before until till while in-case so-that as-soon-as provided
    assuming because since although though where wherever how why what whom whose should lest except than like
    """
)
CONDITIONS: Final = _words("if unless provided assuming suppose supposing imagine whenever once should say")
#: Verbs of speech: a clause behind them is someone's words, unless the agent let someone know it.
SPEECH: Final = _words(
    """
    say tell mention claim write state note report ask suggest announce promise reply answer think believe hope
    assume understand see know wonder expect wish want imagine suppose pretend explain
    """
)
#: Words behind which "is" or "are" says that it is so now by an act: outcome words.
OUTCOME_STATES: Final = _words(
    """
    live done complete completed finished ready set sorted settled gone up in out open closed over on off online
    offline active inactive enabled disabled published public private paid booked reserved yours clear saved
    attached pinned back
    """
)
#: Phrases of an outcome without a verb of acting; joined words as the tokens give them.
OUTCOME_PHRASES: Final[tuple[str, ...]] = (
    "on its way", "on their way", "on the way", "on his way", "on her way", "in your inbox", "in place", "in effect",
    "up and running", "went out", "goes out", "gone out", "went through", "gone through", "went live",
    "gone live", "went well",
    "good to go", "up on the", "down on the", "down on her", "down on his", "down on their", "all booked",
    "now with", "now on", "now in", "now at", "now set", "under way", "in force",
)  # fmt: skip
UMBRELLA_PHRASES: Final[tuple[str, ...]] = (
    "all set", "all done", "all sorted", "all good", "all taken care of", "taken care of", "took care of",
    "everything is done", "everything is set", "everything is ready", "everything is complete",
    "everything is in place", "squared away", "in the bag", "that wraps", "wraps up", "wraps it up",
    "that covers everything",
    "that takes care of", "that completes",
    "everything is sorted", "everything is lined up", "done and done", "all finished", "all complete", "all caught up",
    "job done", "mission accomplished", "good to go", "all squared away", "wrapped up", "nothing left to do",
    "nothing left to arrange", "nothing left for you to do", "nothing remains to be done", "no loose ends",
    "all completed", "everything has been", "everything you asked for is", "that is everything", "all covered",
)  # fmt: skip
#: Present tense verbs by which a reply tells what a source or record says.
RESULT_VERBS: Final = _words(
    """
    shows holds says costs leaves follows starts ends opens closes covers contains includes runs states reads
    returns stands sits comes goes makes takes gives expires renews arrives departs has lives governs means remains
    stays looks wants needs puts matches exists totals equals owns explains carries weighs lasts fails passes
    expects
    """
)
MONTHS: Final = _words(
    "january february march april june july august september october november december jan feb mar apr jun jul aug "
    "sep sept oct nov dec"
)
#: Adverbs of a time that is past and over.
HISTORY: Final = _words("yesterday ago originally previously earlier formerly initially last")
#: Sentence openings of advice, offer, request and thanks: nothing is asserted.
OPENERS: Final = _words(
    """
    please feel should could would can may might do does did is are was were will shall thank thanks proposed
    suggested next todo remember consider try make ensure keep hope would'you shout ping ask tell want need suppose
    imagine say wait go
    """
)
STOPWORDS: Final = _words(
    """
    the a an and or but so of to for from with by on in at as it its this that these those i we you he she they me
    us him her them my your his our their is are was were be been being am have has had do does did not n't 's 've
    're 'm 'll 'd now also just already then all both each every there here which who successfully will would can
    could
    """
)
#: Nouns that say that what follows is a draft or an example, not an assertion.
DRAFTS: Final = _words("draft template example sample snippet wording text suggestion proposal reply script")
#: Nouns and adjectives of a heading or lead-in whose list is yet to be done.
PLANS: Final = _words(
    """next todo plan plans proposed suggested steps remaining upcoming checklist recommendations options propose
    suggest recommend would could want proposal ahead"""
)
#: Nouns that name a field of a record; a participle behind them is part of the name.
FIELD_HEADS: Final = _words("total amount balance price sum date status reason subtotal type")
#: Words of a habit or a rule rather than of one act.
HABITS: Final = _words(
    "years months within their mondays tuesdays wednesdays thursdays fridays saturdays sundays times automatically"
)
#: Words with which a sentence answers before it asserts.
ANSWERS: Final = _words("yes yep yeah sure ok okay great perfect done right hi hey hello thanks no")
#: Verbs whose participle with "is" or "was" tells how a thing stands or what someone else did to it.
STANDINGS: Final = _words(
    "price delay decline refuse reject deny tie cap evict divert quote cover exempt expect own schedule rate rank value"
)
#: What happens to a thing by itself, in the past.
HAPPENING: Final = _words("pass rise resume drop")
#: What others do with what they were sent.
RECEIVING: Final = _words(
    """see read open accept confirm sign approve agree receive reply answer acknowledge take collect view watch pay
    join arrive land reach hear"""
)
#: Verbs of saying by which the agent acts on those that are told.
TELLING: Final = _words("tell inform notify advise ask remind alert call brief")
#: Acts of the mind, however active the verb: verb and object.
NO_ACTS: Final = frozenset(
    f"{verb} {noun}"
    for verb, nouns in {
        "make": "mistake mistakes error errors sense assumption assumptions sure",
        "apply": "preferences preference criteria constraints",
        "take": "account note",
        "keep": "mind",
        "lose": "track",
    }.items()
    for noun in nouns.split()
)
#: Participles that describe what stands before them, by the preposition behind them.
DESCRIPTIONS: Final[Mapping[str, frozenset[str]]] = {
    "associate": _words("with"), "associat": _words("with"), "link": _words("to with"), "cause": _words("by"),
    "caus": _words("by"), "make": _words("of from up"), "fix": _words("at"), "locate": _words("in at on near"),
    "relate": _words("to"), "schedule": _words("for"), "base": _words("on in"), "date": _words("on from"),
    "dedicate": _words("to"), "equip": _words("with"), "situate": _words("in"), "own": _words("by"),
}  # fmt: skip
#: Verbs behind which "that" tells what is wished, feared or made sure, not what is so.
UNASSERTING: Final = _words("hear ensure see hope wish want require regret request need expect guarantee prefer sure")
#: Verbs with which the agent announces what it then asserts: "I'm pleased to inform you that ...".
ANNOUNCEMENTS: Final = _words("inform confirm note report announce advise say tell")
#: Things that pass or are clean after a check was run.
TESTS: Final = _words(
    """test tests suite lint linter build ci checks check mypy ruff typecheck pipeline validation verification
    inspection screening audit scan"""
)
#: Behind a comma these join two assertions rather than say when.
CONTRASTS: Final = _words("while whereas whilst")
#: What is passed where a check was run ("the feed passes validation").
EXAMINED: Final = _words(
    "validation verification inspection tests checks lint linting audit review qa scan screening preflight muster"
)
#: Numbers in words: as good a value as one in digits.
NUMBER_WORDS: Final = _words(
    """two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen twenty thirty forty fifty
    sixty seventy eighty ninety hundred dozen half twice"""
)
#: Base forms that less practised writers put for the participle ("the roster is publish", "I have verify the rules").
BASE_FOR_PARTICIPLE: Final = _words(
    """
    publish finish submit upload create delete update send assign confirm approve cancel remove add register schedule
    generate install deploy process transfer reserve save verify check review validate test book post notify inform
    attach archive refund pay charge deliver activate enable disable configure change apply move rename
    """
)
#: States in which something was left that nobody touched ("left as it was").
UNTOUCHED: Final = _words("alone untouched unchanged unaffected as intact unmodified unaltered")
#: Verbs by which the agent says that it left something undone.
REFRAINING: Final = _words("skip omit withhold refrain forgo avoid")
#: Verbs of writing whose object can be the reply itself ("I've written this here only").
WRITING: Final = _words("write list put note summarise summarize draft set lay outline collect paste include")
#: Verb and particle by which an agent says that it looked.
LOOKING: Final = frozenset(
    f"{verb} {particle}"
    for verb, row in {
        "track": "down",
        "hunt": "down",
        "look": "up into through over at",
        "dig": "up out into",
        "go": "through over",
        "turn": "",
        "pull": "up",
        "call": "up",
        "run": "through",
        "read": "through up over",
        "sift": "through",
        "comb": "through",
        "peek": "at into",
        "peer": "at into",
        "glance": "at over",
        "leaf": "through",
        "nose": "around",
    }.items()
    for particle in row.split()
)
#: Verbs of doing what a noun names.
CARRYING: Final = _words("carry perform conduct run do complete undertake make")
#: Nouns of looks, with their verbs.
LOOKS: Final[Mapping[str, str]] = _pairs(
    """screening=screen check=check checks=check search=search searches=search test=test tests=test audit=audit
    verification=verify validation=validate scan=scan scans=scan review=review inspection=inspect comparison=compare
    lookup=look analysis=analyse measurement=measure survey=survey"""
)
#: Words by which a look is said to have found nothing wrong.
CLEAN: Final = _words(
    "clean clear green fine ok okay passed pass passing without no nothing flawless spotless empty negative"
)
#: Nouns that stand for all that was to be done.
WHOLE: Final = _words(
    """task tasks step steps chore chores job jobs item items request requests work everything all order orders change
    changes todo todos list"""
)
#: Participles of bringing a task to its end.
ENDED: Final = _words("do finish complete handle sort process implement carry execute perform wrap tick clear cover")
#: Particles that tell an outcome only where nothing follows that one could be in or on ("Your review is in!").
PARTICLES: Final = _words("in on up out off over")
#: Participles that open a sentence without an act: "Given the circumstances, ...", "Taken together, ...".
IDLE_OPENERS: Final = frozenset(
    {"given", "provided", "compared", "taken together", "put together", "put differently", "put simply", "put plainly"}
)
#: Acts that begin with a verb of looking.
CHECKED_IN: Final = frozenset({"check in", "check out", "check off"})
