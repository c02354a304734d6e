"""Sends notifications to channels (e-mail, chat rooms, phones) with Apprise.

sender.py       the sender of deliver: one notification, one answer
channel.py      what a channel is, and how its owner gives it
kinds.py        the fields of common services, and the addresses that they make
links.py        the links of a message to Vokter's page
processes.py    the processes that send, as their parent sees them
  child.py      such a process: one piece of work after another
    audit_hook.py what it may connect to, open and start: almost nothing
    services.py Apprise, and how a service answered
    answers.py  the answers of servers, as Apprise's plug-ins get them
    message.py  the title and text of a message
    hints.py    its link, tags and priority, for services that show them
    templates.py those that a channel's owner wrote, in a sandbox
work.py         what parent and child send each other

Addresses of channels are given by tenants, and Apprise obeys them: so Apprise runs in child
processes with no secret but the present address.
"""
