"""`arena check`: numbered steps that show whether a bot keeps the protocol. docs/check.md says what each step means.

Legal play is judged by the real referee at real tables; what a referee seldom sends, such as a field from the future or a stream
that breaks, comes from a scripted one (stage.py). Either way the bot is started as a match starts it, by the launcher.
"""
