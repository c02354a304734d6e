"""The queries by which subscriptions are listed, with the state of their documents."""

_FIELDS = """
    SELECT s.created, s.id, s.body, s.state, s.reason, s.ended,
           w.interval, min(c.at, coalesce(s.ended, c.at)), coalesce(d.failures, 0), d.last_error,
           q.since, q.reason,
           coalesce(d.flapping_until, 0), coalesce(d.title, ''), d.missing,
           CASE WHEN d.lost <> '' THEN d.missing_since END, d.confidence,
           coalesce(d.past, x'')
"""
_JOINED = """
    LEFT JOIN watches w ON w.url = s.url AND s.ended IS NULL
    LEFT JOIN documents d ON d.url = w.url AND d.view = s.view AND d.watch = w.id
    LEFT JOIN checks c ON c.url = s.url
         AND c.watch = iif(s.ended IS NULL, w.id, json_extract(s.body, '$.watch'))
    LEFT JOIN waits q ON q.url = w.url AND q.watch = w.id
"""


def _with_and_without_tag(query: str) -> dict[bool, str]:
    """Return a query of a manager's subscriptions by age, by whether only those with a tag count.

    ``k`` is the wanted row: the subscription's, or its tag's.
    """
    plain = query.replace("k.", "s.").replace("ROWS", "subscriptions s")
    rows = "subscription_tags k CROSS JOIN subscriptions s ON s.id = k.id"
    tagged = query.replace("ROWS", rows).replace(":manager", ":manager AND k.tag = :tag")
    return {False: plain, True: tagged}


LAST_SEARCHED = _with_and_without_tag("""
    SELECT k.created, k.id FROM ROWS
    WHERE k.manager = :manager AND (k.created, k.id) < (:created, :id)
    ORDER BY k.created DESC, k.id DESC LIMIT 1 OFFSET :most
""")
FOUND = _with_and_without_tag(f"""
    WITH found AS (
        SELECT s.* FROM ROWS
        WHERE k.manager = :manager AND (k.created, k.id) < (:created, :id)
        AND (k.created, k.id) >= (:last_created, :last_id)
        AND (:text = ''
             OR instr(lower(s.body), :text) > 0  -- quick, though it finds more
             AND instr(lower(s.url || s.receiver
                             || json_extract(s.body, '$.document_url', '$.keywords')), :text) > 0
             OR s.ended IS NULL AND EXISTS (
                 SELECT 1 FROM documents d WHERE d.url = s.url AND d.view = s.view
                 AND instr(lower(d.title), :title) > 0))
        ORDER BY k.created DESC, k.id DESC LIMIT :limit
    )
    {_FIELDS} FROM found s {_JOINED} ORDER BY s.created DESC, s.id DESC
""")  # noqa: S608 - a constant
PAGE = _with_and_without_tag(f"""
    {_FIELDS} FROM ROWS {_JOINED}
    WHERE k.manager = :manager AND (k.created, k.id) > (:created, :id)
    ORDER BY k.created, k.id LIMIT :limit
""")
_LISTED = f"{_FIELDS} FROM subscriptions s {_JOINED} WHERE s.manager = ? AND "
ONE = _LISTED + "s.id = ?"
# With a sign before them, no index is taken that has all of a manager's in this order.
OF_DOCUMENT = _LISTED + "s.url = ? ORDER BY +s.created DESC, +s.id DESC LIMIT ?"
TAGS = """
    WITH RECURSIVE used (tag) AS (
        SELECT min(tag) FROM subscription_tags INDEXED BY tags_in_use
        WHERE manager = :manager AND in_use
        UNION ALL
        SELECT (SELECT min(tag) FROM subscription_tags INDEXED BY tags_in_use
                WHERE manager = :manager AND in_use AND tag > used.tag)
        FROM used WHERE used.tag IS NOT NULL
    )
    SELECT tag FROM used WHERE tag IS NOT NULL LIMIT :limit
"""
