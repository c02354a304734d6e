"""Imported by the fork server only: what each of its processes would otherwise load itself."""

import gc

from schemas.codec import wire
from schemas.records.fetches import Forget
from streams.diff.regions import changed_regions
from streams.text.language import detect_language

changed_regions("what compares", "what loads")
detect_language("the profiles of all languages, 0.3 s of work")
wire.encode(Forget("", ""))  # the schemas of all records
# Comparing a page makes many objects and no cycles: a fifth of its time went to looking for some.
gc.set_threshold(20_000, 20, 20)
