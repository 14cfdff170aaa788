"""What follows from the evidence: the engines that turn it into beliefs, and which one answers."""
