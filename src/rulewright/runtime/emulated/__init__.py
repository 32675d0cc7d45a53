"""Emulated GPU devices: the very source of CUDA and METAL, run and watched on the processor."""
