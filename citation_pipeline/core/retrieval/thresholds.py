"""The setting's number that the command line needs, without what answers questions."""

EVIDENCE_THRESHOLD = 0.4
"""The confidence below which a question is refused; the fitted probabilities are mapped onto it."""
