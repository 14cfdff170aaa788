"""How rows are laid out for grouping: entries, trees, buckets and sequences, which drive the kernels."""
