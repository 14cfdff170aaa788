"""Plain definitions: slow, exact and short enough to be read against the paper. The kernels are compared with them."""
