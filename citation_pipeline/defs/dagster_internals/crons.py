"""The ticks of a cron as Dagster's scheduler has them.

What is judged by them has to agree with it about time zones and changes of the clock.
"""

from dagster._utils.schedules import cron_string_iterator, get_smallest_cron_interval

__all__ = ["cron_string_iterator", "get_smallest_cron_interval"]
