"""What each column of a table seems to be: the draft of a schema, for the command line and for the pages."""
