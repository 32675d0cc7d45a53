"""Tensors: a lazy n-dimensional array over graphs of the tensor stage.

Names, meanings and dtypes are PyTorch's. What differs, and why:

    x // 0, x % 0 of integers       0 and x: defined, on every device alike
    x[positions], gather            0 where a position is out of range: nothing is checked lazily
    x[bool mask]                    UsageError: its size is not known before it is computed
    mean, var, softmax of integers  float32 rather than an error
    Tensor.empty                    zeros, so that every program is deterministic
    uint64 with a signed integer    int64: no integer type holds both
    maximum, relu of -0.0           either zero may result
    erf, gelu("none")               to 1.5e-7
"""
