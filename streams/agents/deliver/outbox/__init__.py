"""Decides which notification is sent when, and when a receiver may not or cannot be notified.

outbox.py     all notifications of a partition that are not done
  queues.py     which is next: one at a time per client and document, four per client
  in_hand.py    how many are sent at a time, webhooks and channels apart
  times.py      hours, digests and days: when it may be sent
  held.py       which notifications are held for such a time, and sent together
  failures.py   when it is sent again, and which receivers have only failed lately or are gone
  proofs.py     which receivers have answered a challenge
  challenge_budgets.py  how many challenges are made
  recipients.py for whom all of this is kept: each client URL of each manager
"""
