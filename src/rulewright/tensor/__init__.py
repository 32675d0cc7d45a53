"""Tensors: a lazy n-dimensional array over graphs of the tensor stage."""
