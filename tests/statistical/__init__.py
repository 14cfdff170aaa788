"""Randomised methods: the right law is accepted and a wrong one rejected."""
