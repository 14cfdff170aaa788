"""What a person runs: the command line. One file per verb, one per idea that the verbs share."""
