from structlog.testing import capture_logs

from streams.engine.life.progress import ProgressLog


def test_only_what_takes_its_time_says_how_far_it_is() -> None:
    times = iter((0.0, 0.5, 1.9, 2.0, 3.0, 4.5))
    with capture_logs() as lines:
        progress = ProgressLog("tables are recovered", lambda: next(times))
        for _ in range(5):
            progress.add(100)
    assert [(line["event"], line["rows"]) for line in lines] == [
        ("tables are recovered", 300),
        ("tables are recovered", 500),
    ]
