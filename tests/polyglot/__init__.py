"""Tests of the sample bots in other languages, which know the protocol and nothing else of the project."""
