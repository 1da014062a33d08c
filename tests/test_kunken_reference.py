"""`kunken_reference`, the slow simulator against which Kunken's engine is to be checked, reads the records as they were played."""

import json

import kunken_reference as reference
import pytest
from replay import read_records

RECORDS = read_records("kunken")
EVERY = 4  # records in one test


@pytest.mark.slow
@pytest.mark.parametrize("first", range(EVERY))
def test_records_replay(first):
    for record in RECORDS[first::EVERY]:
        reference.replay(record)


def test_a_record_that_differs_is_noticed():
    record = json.loads(json.dumps(RECORDS[0]))
    record["legal"][5] = record["legal"][5][1:]
    with pytest.raises(AssertionError):
        reference.replay(record)
