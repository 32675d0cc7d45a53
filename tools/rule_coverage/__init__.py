"""Coverage of the shipped rules: which fired in the suite, and which guards refused something."""
