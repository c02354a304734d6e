"""Of Faust's services only those start that have something to do."""

import gc

from tests.fakes.parts import fake_app


async def test_only_the_consumer_the_subscriber_and_the_tables_are_started() -> None:
    app = fake_app("boot", "kafka://127.0.0.1:1")
    assert list(app.boot_strategy.server()) == [app.consumer, app.topics, app.tables]
    assert app.producer not in app.boot_strategy.server()
    del app
    # Python before 3.11.8 cannot compile a module while such garbage is collected.
    gc.collect()
