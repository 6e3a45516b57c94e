"""The referee: rules, tables, the gRPC service and match records."""

from referee import core

core.extend(__path__)
