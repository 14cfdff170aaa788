"""One file per verb of the command line; each has ``command()``, ``EXAMPLES`` and the verb itself."""
