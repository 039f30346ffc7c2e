"""Attacks on every door of the package; docs/reliability.md has their outcome."""
