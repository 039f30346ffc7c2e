"""The paper's experiments: cells, the resumable runner, results, tables."""
