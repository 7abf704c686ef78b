"""The shapes of the published designs, by their names: written beside our own, never instead of them.

`docs/differences.md` says for every row of a design where it is, or why it differs.
"""
