"""The plain pipeline that `make bench` compares with does the whole of its small job."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from bench.race.plain.checking import Known, any_of, compare, matching, text_lines
from bench.race.plain.requests import Requests
from bench.race.shelf import Shelf, mark
from bench.race.up import KEYWORDS

PAGE = b"<p>one</p>\n\n<p>price &amp; <b>terms</b></p>\n"


def first(body: bytes) -> Known:
    known, lines = compare(None, '"1"', body)
    assert lines == []
    return known


def test_lines_have_no_tags_and_empty_ones_are_left_out() -> None:
    assert text_lines(PAGE) == ["one", "price & terms"]


def test_a_first_version_notifies_of_nothing_and_an_equal_one_changes_nothing() -> None:
    known = first(PAGE)
    assert compare(known, '"2"', PAGE) == (known, [])


def test_only_lines_that_were_added_or_removed_and_hold_a_whole_keyword_match() -> None:
    _, lines = compare(first(PAGE), None, b"<p>Price list</p>\n<p>one</p>\n<p>priceless</p>\n")
    assert lines == ["+Price list", "-price & terms", "+priceless"]
    assert matching(lines, any_of(["price", "new york"])) == ["+Price list", "-price & terms"]


def test_lines_that_look_like_the_head_of_a_diff_are_changes() -> None:
    assert compare(first(b"-- price"), None, b"++ price")[1] == ["--- price", "+++ price"]


def test_a_new_version_of_a_page_of_the_bench_matches_by_what_was_planted() -> None:
    shelf = Shelf(7)
    _, lines = compare(first(shelf.body(3, 1)), None, shelf.body(3, 2))
    found = [line.split()[:2] for line in matching(lines, any_of(KEYWORDS))]
    assert sorted(found) == [[f"+{mark(3, 2)}", "even"], [f"-{mark(3, 1)}", "odd"]]


class Broken(BaseHTTPRequestHandler):
    """Answers the first request with nothing, then all."""

    protocol_version = "HTTP/1.1"
    asked = 0

    def do_GET(self) -> None:
        type(self).asked += 1
        if self.asked == 1:
            self.close_connection = True
            return
        self.send_response(200)
        self.send_header("ETag", '"1"')
        self.send_header("Content-Length", "3")
        self.end_headers()
        self.wfile.write(b"one")

    def log_message(self, *_: object) -> None:
        """Be silent."""


def test_a_request_that_fails_is_not_sent_again_and_the_next_one_is_answered() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Broken) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        requests, url = Requests(), f"http://127.0.0.1:{server.server_port}/page"
        assert requests.send("GET", url, {}) is None
        assert Broken.asked == 1
        answer = requests.send("GET", url, {})
        assert answer is not None
        assert (answer.status, answer.etag, answer.body) == (200, '"1"', b"one")
        server.shutdown()
