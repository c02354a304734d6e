"""The shared store: a MongoDB server, for workers on any number of machines."""
