"""What all claim assets share: the one partitioning, and who answers for them.

A claim is a partition; its key is checked by `core.claims` before it is added.
"""

import dagster as dg

claims = dg.DynamicPartitionsDefinition(name="claims")

OWNERS = ["team:claims-data"]
