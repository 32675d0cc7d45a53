"""Values to try, and how two results are compared: one way for all that verifies."""
