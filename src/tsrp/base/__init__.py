"""What every method is built from: the outer loop, the contract of a base method, what a fitted model answers."""
