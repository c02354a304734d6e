"""The reprocess stage: reads kept pages again with other readers, views and stemmers."""
