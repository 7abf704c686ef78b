"""Claude's stored replies into one extraction: the shared reading with Claude's reader of bytes."""

from functools import partial

from citation_pipeline.adapters.claude.replies import read_reply
from citation_pipeline.adapters.conversation import reading

read_part = partial(reading.read_part, read_reply=read_reply)
read_replies = partial(reading.read_replies, read_reply=read_reply)
