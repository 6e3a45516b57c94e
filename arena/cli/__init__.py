"""Commands of `arena`, one module each; loaded when used."""
