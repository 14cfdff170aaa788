"""Published cells: how they are written and what they stand for, whoever wrote them.

========== =======================================================================================================
grammar    the one grammar: intervals, sets, ``*``, masks, quotation marks, ``or null``; for writers and readers
numbers    numbers and ranges of numbers as people and other tools write them, exactly
times      points in time, each written in one way
ends       intervals whose ends are columns of their own: ``age_low``, ``age_high``, ``age_nulls``
matcher    which values of a column a cell covers: :class:`~pellucid.published.matcher.CellMatcher`
choices    what the cells of a column leave open, as runs of values: :class:`~pellucid.published.choices.Choices`
reader     cells become choices
forms      intervals, sets, names: in which forms cells are written, counted and told
========== =======================================================================================================

Recoders write by this grammar (:mod:`pellucid.anonymize.recode`); audits, metrics, reports and attacks read by it.
"""
