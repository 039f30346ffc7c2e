"""The paper's experiments: runs, the resumable runner, results, tables."""
