"""How the package runs: names imported when used, frozen values, threads, processes, files, progress."""
