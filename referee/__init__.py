"""The referee: rules, tables, the gRPC service and match records."""
