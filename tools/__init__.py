"""Tools of the project's developers; the arena itself never imports them."""
