"""Imported by the fork server alone: what each of its processes would else load for itself."""

import gc

from streams.core.text.language import detect

detect("the profiles of all languages, 0.3 s of work")
# A look for garbage writes to what it looks at: each process would have its own copy of all.
gc.collect()
gc.freeze()
