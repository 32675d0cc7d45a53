"""The CUDA device: kernels by NVRTC, streams, memory and graphs by the driver API."""
