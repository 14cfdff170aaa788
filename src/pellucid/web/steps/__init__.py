"""The five steps, one file each, and the job that runs behind them; a file with ``ROUTES`` is found here."""
