"""False rules made at random, for the prover to find out (`python tools/fuzz_rules.py`)."""
