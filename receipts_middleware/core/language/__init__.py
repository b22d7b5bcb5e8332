"""The one seam for languages: what a language is, how it is recognised, and which sentences of a reply nobody can read.

`value` holds the values, `words` the closed classes by which languages are told apart, `recognise` the test, `shipped`
the languages that claims can be read in (English). To add one: a `Language` in a module of its own, a row in
`shipped.LANGUAGES`, and claims read from its tables. `shipped` is not imported here, since it gathers its words from
modules that come later.
"""

from __future__ import annotations

from receipts_middleware.core.language.recognise import MAX_SAID, read_language
from receipts_middleware.core.language.value import Language, LanguageReading, SpokenWord

__all__ = ["MAX_SAID", "Language", "LanguageReading", "SpokenWord", "read_language"]
