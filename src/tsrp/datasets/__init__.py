"""Data to adapt: the embedded pair, the public benchmarks, files of your own."""
