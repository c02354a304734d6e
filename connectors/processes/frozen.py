"""Imported last by the fork server, so its processes copy little of their shared memory."""

import gc

from connectors.processes.malloc_trim import return_free_memory

gc.collect()
return_free_memory()  # what the imports took and no longer need
# The garbage collector writes to the objects that it visits: each process would copy them all.
gc.freeze()
