"""Words and marks by which values are known. English; a further language adds its rows here.

Sources: ISO 4217 (codes), CLDR (symbols, marks of thousands and decimals), RFC 3986, RFC 5321, and the shapes of ids
of Stripe, GitHub, Jira, Shopify, airlines.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: ISO 4217 codes that are no English word in capitals.
CURRENCY_CODES: Final = tuple(
    """USD EUR GBP JPY CHF CNY INR CAD AUD NZD SEK NOK DKK PLN CZK HUF BRL MXN ZAR KRW SGD HKD THB IDR MYR PHP VND ILS
    AED SAR RUB UAH NGN KES EGP CLP COP ARS PEN RON BGN ISK TWD PKR BTC ETH USDC USDT""".split()
)
#: Symbols; one that several currencies share stands for itself.
CURRENCY_SYMBOLS: Final[Mapping[str, str]] = {
    "US$": "USD", "CA$": "CAD", "C$": "CAD", "AU$": "AUD", "A$": "AUD", "NZ$": "NZD", "HK$": "HKD", "S$": "SGD",
    "R$": "BRL", "MX$": "MXN", "$": "$", "€": "EUR", "£": "£", "¥": "¥", "₹": "INR", "₽": "RUB", "₩": "KRW",
    "₺": "TRY", "₪": "ILS", "₴": "UAH", "฿": "THB", "₫": "VND", "₦": "NGN", "₱": "PHP", "kr": "kr", "kr.": "kr",
    "zł": "PLN", "Kč": "CZK", "Ft": "HUF", "Rs": "Rs", "Rs.": "Rs", "Fr.": "CHF",
}  # fmt: skip
#: Currencies that a shared symbol or word may stand for.
SHARED_CURRENCIES: Final[Mapping[str, frozenset[str]]] = {
    "$": _words("USD CAD AUD NZD SGD HKD MXN TWD CLP COP ARS BRL USDC USDT"),
    "£": _words("GBP EGP"),
    "¥": _words("JPY CNY"),
    "kr": _words("SEK NOK DKK ISK CZK"),
    "Rs": _words("INR PKR"),
    "cents": _words("USD EUR CAD AUD NZD SGD HKD MXN ZAR $"),
}
#: Names of currencies behind a number, and how far the point moves to whole units.
CURRENCY_WORDS: Final[Mapping[str, tuple[str, int]]] = {
    "us dollars": ("USD", 0), "dollar": ("$", 0), "dollars": ("$", 0), "bucks": ("$", 0), "euro": ("EUR", 0),
    "euros": ("EUR", 0), "pound": ("£", 0), "pounds": ("£", 0), "yen": ("JPY", 0), "rupees": ("Rs", 0),
    "francs": ("CHF", 0), "zloty": ("PLN", 0), "kroner": ("kr", 0), "kronor": ("kr", 0), "cent": ("cents", -2),
    "cents": ("cents", -2), "¢": ("cents", -2), "pence": ("£", -2),
}  # fmt: skip
#: How far a multiplier moves the point.
MULTIPLIERS: Final[Mapping[str, int]] = {
    "k": 3, "thousand": 3, "m": 6, "mn": 6, "mio": 6, "million": 6, "b": 9, "bn": 9, "billion": 9, "tn": 12,
    "trillion": 12,
}  # fmt: skip

UNITS: Final[Mapping[str, int]] = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
TENS: Final[Mapping[str, int]] = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
SCALES: Final[Mapping[str, int]] = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
#: Quantifiers that are a number.
QUANTIFIERS: Final[Mapping[str, int]] = {
    "both": 2, "a couple of": 2, "pair of": 2, "a couple": 2, "a pair of": 2, "half a dozen": 6, "half-a-dozen": 6,
}  # fmt: skip
#: Words before `one` or after it where it counts nothing.
BEFORE_ONE: Final = _words(
    "no the any every each this that which another last next either some new other right wrong same only good first at"
)
AFTER_ONE: Final = _words(
    """and or is was that which who has had by another more else day thing time way to for in on at from with as if but
    can will would should could may might needs i you we they he she it"""
)
#: Words that are no thing counted.
NO_UNIT: Final = _words(
    """a an and are as at be been before both but by can did do does for from had has have he her his i if in into is
    it its more of on or our out over per she so than that the their them then there these they this those to under up
    was we were which while who will with you your now all each not no only also already"""
)

MONTHS: Final[Mapping[str, int]] = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sept sep", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
#: Days from the clock; only read where there is one.
RELATIVE_DAYS: Final[Mapping[str, int]] = {"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1}
NAMED_TIMES: Final[Mapping[str, str]] = {"noon": "12:00", "midday": "12:00", "midnight": "00:00"}

#: Words that introduce an id of digits alone.
ID_CUES: Final = _words(
    """order ticket invoice booking reservation case issue pr pull mr customer user account ref reference record deal
    job build task room table gate seat flight id number transaction payment refund charge subscription contract
    document policy claim shipment parcel tracking permit registration member patient employee contact lead opportunity
    quote dispute project sprint run deployment release story bug request matter docket entry item sku product po
    confirmation card extension unit bus train line platform bed ward file folder thread message event iccid imei
    msisdn iban vin barcode serial"""
)
#: Those that are also verbs or quantities of something: a small number and a plural behind them is a count.
VERB_CUES: Final = _words(
    "order ticket request issue case build charge account claim document file number record line run page deal job"
)
#: Cues before a code that is letters alone.
CODE_CUES: Final = _words("pnr code reference confirmation booking reservation locator ref")
#: Alphanumeric words that name a standard or a format, no object.
NOT_IDS: Final = _words(
    """covid-19 utf-8 utf8 utf-16 sha-256 sha256 sha-1 md5 base64 oauth2 http2 http/2 ipv4 ipv6 ec2 k8s i18n l10n mp3
    mp4 h264 b2b b2c python3 win32 x86 x86_64 amd64 arm64 iso-8601 iso8601 gpt-4 gpt-5 web3 24x7 w3c 3d 2d 4k es6 es2020
    401k co2 h2o r2d2 log4j d3 p2p e2e a11y wi-fi6 usb-c ps5 c++11"""
)
#: Endings of a number that is a measure.
MEASURES: Final = _words(
    """st nd rd th k m bn b x km m cm mm ft in mi kg g mg lb lbs oz l ml h hr hrs min mins s sec secs ms us ns d w y yr
    yrs kb mb gb tb pb kib mib gib tib hz khz mhz ghz px pt em rem v w kw mw kwh a ma c f am pm p e vcpu cores mbps gbps
    rpm fps dpi k+"""
)
#: Words before a year: `mid-2024`.
YEAR_PREFIXES: Final = _words("mid early late pre post since fy")

FILE_EXTENSIONS: Final = _words(
    """py js ts tsx jsx mjs json jsonl yaml yml toml ini cfg conf env md rst txt log csv tsv xml html htm css scss sql
    sh bash zsh ps1 bat rb go rs java kt swift c h cc cpp hpp cs php pl r lua vue svelte ipynb lock proto tf tfvars
    pdf doc docx xls xlsx ppt pptx odt ods pages key numbers rtf epub png jpg jpeg gif svg webp bmp tiff ico heic mp3
    mp4 wav mov avi mkv webm zip tar gz tgz bz2 xz 7z rar whl jar exe dmg iso deb rpm db sqlite parquet avro pkl bak
    ics eml msg pem crt patch diff psd ai fig sketch dwg stl tex bib"""
)
#: Names that end like a file and are none.
NOT_FILES: Final = _words("node.js next.js vue.js nuxt.js express.js react.js three.js d3.js deno.js e.g i.e")
BRANCH_NAMES: Final = ("main", "master", "develop", "dev", "trunk", "staging", "production", "gh-pages")
BRANCH_PREFIXES: Final = _words(
    "feature feat fix bugfix hotfix release chore docs refactor test ci dependabot renovate user bug perf build"
)

#: Keys of arguments that hold minor units, and those that hold an amount.
MINOR_KEYS: Final = ("cents", "pence", "minor", "minorunits")
AMOUNT_KEYS: Final = _words(
    """amount total price cost fee subtotal balance value sum budget salary fare payment charge credit limit discount
    refund tip deposit rate tax"""
)
CURRENCY_KEYS: Final = ("currency", "currencycode", "ccy", "cur")

#: Seconds of a unit of time.
DURATIONS: Final[Mapping[str, int]] = {
    "second": 1, "sec": 1, "minute": 60, "min": 60, "hour": 3_600, "hr": 3_600, "h": 3_600, "day": 86_400,
    "week": 604_800,
}  # fmt: skip
MONTH_DURATIONS: Final[Mapping[str, int]] = {"month": 1, "quarter": 3, "year": 12, "yr": 12}
