"""The pages, one blueprint a group."""
