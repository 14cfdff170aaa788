"""What groups give away: found again from what is published, or refused before."""
