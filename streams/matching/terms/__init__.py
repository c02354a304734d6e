"""Subscriptions for several pages: which changes may concern them, and where they are matched.

Each keyword has a term, a word of it, and each term a partition. Match sends a subscription to
the partitions of its terms, and a change to those of its words, as far as somebody who watches
the page is interested::

      a subscription begins                      a change of a page
      ─────────────────────                      ──────────────────
      keywords: "new york", zeus                 its words, in each form that is compared
          │ terms.py                                 │ terms.py
          ▼                                          ▼
      york → partition 3, zeus → 1               new → 0, york → 3, times → 5
          │ StoreQuery                               │ interests.py: of the managers that watch
          ▼                                          ▼ it, who has subscriptions where
      queries.py: those of each manager ◄─────── Percolate to partition 3
          │ Interest, to match
          ▼ of every partition
      "manager m: york in 3"

Of many terms match gets a Bloom filter: ``manager_terms.py`` says when, ``term_filters.py`` makes
it.
"""
