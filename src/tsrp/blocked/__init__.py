"""Samples that are not in memory as a whole: rows that are read in blocks, from files or by a Dask cluster."""
