"""Classifiers of this package, and how the outer loop trains one, of this package or of scikit-learn."""
