"""Whole jobs, as a steward does them, on tables made to look like those that stewards have."""
