"""Sample bots: complete players to measure a bot against, and to read. They use the SDK as anybody would."""
