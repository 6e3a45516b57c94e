"""The protocol, generated from proto/; see docs/protocol.md."""
