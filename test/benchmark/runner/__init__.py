"""Measures the cases of its sources in rounds, and shows the results; see case.py."""
