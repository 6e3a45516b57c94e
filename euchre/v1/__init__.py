"""Package euchre.v1: generated modules, never edited by hand."""
