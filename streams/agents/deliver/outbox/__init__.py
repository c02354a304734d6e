"""Decides which notification is sent when, and when a receiver may not or cannot be notified.

outbox.py     all notifications of a partition that are not done
  queues.py     which is next: one at a time per client and document, four per client
  in_hand.py    how many are sent at a time, webhooks and channels apart
  retries.py    when it is sent again, and when its receiver is gone
  retry_schedule.py  the pauses between attempts
  digests.py    when a channel's next digest is due
  times.py      when a subscription wants to be notified
  days.py       how many it was sent on its day
  held.py       which notifications are held for one, and sent together
  failures.py   which receivers have only failed lately
  proofs.py     which receivers have answered a challenge
  recipients.py for whom all of this is kept: each client URL of each manager
"""
