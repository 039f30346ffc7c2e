"""Linear algebra without n x n matrices, on any number of threads with the same result."""
