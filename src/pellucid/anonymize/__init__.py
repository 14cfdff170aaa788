"""How people are hidden: methods make groups of a table, recoders write what a group becomes."""
