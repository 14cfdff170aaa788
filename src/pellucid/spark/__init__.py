"""Everything that needs Spark: frames that stay on its machines, the engine that publishes them, audit and measure.

``frames`` is what is asked of a DataFrame, ``engine`` how a table that no machine holds becomes a release, ``audit``
and ``measure`` look at a release where it is, ``errors`` says what went wrong in one line. Nothing here imports pyspark
before it is needed.
"""
