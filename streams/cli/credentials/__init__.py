"""The commands ``vokter credentials …``."""
