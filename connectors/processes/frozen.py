"""Imported last by the fork server: its processes copy as little as possible of what they share."""

import gc

from connectors.processes.malloc_trim import return_free_memory

gc.collect()
return_free_memory()  # what the imports took and no longer need
# The garbage collector writes to the objects that it visits: each process would copy them all.
gc.freeze()
