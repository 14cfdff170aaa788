"""Tables larger than one machine: the few operations that a method needs, in memory and on Spark."""
