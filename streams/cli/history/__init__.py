"""The commands ``vokter evidence …`` and ``vokter history``."""
