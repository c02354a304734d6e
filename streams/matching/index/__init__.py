"""Finds, among many subscriptions of one document, those that a change may concern.

What is found is a superset of what matches: a ``Matcher`` then decides for each
subscription exactly. The parts, and how a change finds its subscriptions::

      a subscription is added                     a change is looked up
      ───────────────────────                     ─────────────────────
      keywords: "new york" or *                   sentences that changed
          │                                           │
          │ terms.py: the two rarest words            │ WordSearch: which sentences
          ▼ of each keyword                           ▼ (blocks, texts) have which word
      pair of terms: (york, new)                  york ∈ {1, 4}, new ∈ {4}, times ∈ {2}
          │                                           │
          │ RecentPostings: lists,                    │ change_hashes.py: sorted hashes of
          ▼ cheap to append to                        ▼ words, the sentences as bits
      posting:                                    ┌─────────────────────────────────────┐
      ┌────────────┬───────────┬──────────┐       │ merge_tree.py: a few sorted runs    │
      │ hash(york) │ hash(new) │ position ├──────►│ of postings. In each: is hash(york) │
      └────────────┴───────────┴──────────┘ packed│ in the change, and hash(new) in one │
          │                                       │ of the same sentences?              │
          │ vocabulary.py: the words that         └───────────┬─────────────────────────┘
          ▼ are compared by stem                              │ positions
      gods, godly   ── stems in the language ──►  subscription_index.py: the subscriptions
                       of the change              in these positions, and nothing else

There is an index for each reach: sentences, blocks, whole texts.

A keyword without stemming finds the change by the hash of its word itself. One with
stemming is indexed unstemmed, as the language comes with the change: the vocabulary
computes the stems of its words once for each language, and the change's stems lead
through it to the hashes of the indexed words. Reasons and measurements are in
docs/decisions/0007-the-index.md.
"""
