"""Numerics: plain arrays in, plain arrays out; nothing here reads files or knows about estimators."""
