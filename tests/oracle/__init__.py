"""Beliefs by enumeration of all worlds: what the guarantee of a method is checked against."""
