"""Files to arrays and back: CSV, TSV, Parquet, NPZ, NPY and MAT."""
