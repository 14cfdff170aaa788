"""pellucid."""
