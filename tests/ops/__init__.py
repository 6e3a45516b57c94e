"""What operators look at: logs, figures, findings, dumps, the queue's pages."""
