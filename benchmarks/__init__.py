"""What measures, and what writes pages from it; run from the root of the checkout, as `python -m benchmarks.speed`."""
