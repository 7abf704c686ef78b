"""Run the fake Claude by hand: `python -m citation_pipeline_tests.fake_anthropic --port 8787`."""

import argparse
import json
from pathlib import Path

from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_anthropic.records import Settings
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic


def main() -> None:
    parser = argparse.ArgumentParser(prog="fake_anthropic", description=__doc__)
    parser.add_argument("--port", type=int, default=8787, help="0 takes any free port")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--answers", type=Path, help="a neutral answer file; without one every value is null")
    parser.add_argument("--must-be-read", action="store_true", help="answer only what the shown text says")
    parser.add_argument("--api-key", default="test-key")
    parser.add_argument("--hipaa", action="store_true", help="refuse batches, as a HIPAA-ready organization")
    arguments = parser.parse_args()
    answers = json.loads(arguments.answers.read_text(encoding="utf-8")) if arguments.answers else None
    fake = FakeAnthropic(
        ReferenceAnswers(answers, must_be_read=arguments.must_be_read),
        settings=Settings(api_key=arguments.api_key, hipaa=arguments.hipaa),
        host=arguments.host,
        port=arguments.port,
    )
    print(f"fake Claude at {fake.url} (admin: {fake.url}/__admin)", flush=True)
    try:
        fake.serve()
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main()
