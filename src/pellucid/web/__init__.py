"""``pellucid serve``: the whole job in a browser on the steward's own machine.

The server process renders pages and holds small results; all work on the table happens in one other process (the
worker), so that a page answers at once, and Cancel ends the work for certain. No algorithm lives here: a task calls
the library and turns what it found into plain data for a page.

    server.py     the application and how it is run
    security.py   who may talk to it: token, cookie, Host and Origin, and the headers of every answer
    uploads.py    forms and files, streamed and limited
    session.py    what the steward has done so far; the private folder
    jobs.py       work in the background: progress, estimate, Cancel
    worker.py     the other process; tasks/ is what it can do
    naming_columns.py  columns that name people, and which of them need a tick; people.py finds one person
    steps/        one file per step of the flow: its pages
"""
