"""Changes with a rule, and whether somebody who wrote that rule would want them: 40, judged."""

from typing import NamedTuple


class Judged(NamedTuple):
    """A change of a sentence; one side is empty if it was added or removed."""

    rule: str
    before: str
    after: str
    passes: bool


PRICE = "only if the price really drops"
JOBS = "only senior jobs in Berlin or remote"
COOKIES = "ignore anything about cookies"
SECURITY = "only security fixes"
TICKETS = "nur wenn es wieder Karten gibt"
LAW = "only changes that matter to tenants"
RECALLS = "only recalls of food"
OUTAGE = "only when something is down or up again, no planned maintenance"

CHANGES = (
    Judged(PRICE, "Mixer: 119.00 €", "Mixer: 99.00 €", True),
    Judged(PRICE, "Mixer: 99.00 €", "Mixer: 119.00 €", False),
    Judged(PRICE, "Mixer: 99.00 €", "Mixer: only 99.00 €!", False),
    Judged(PRICE, "Was 129 €, now 119 €.", "Was 129 €, now 109 €.", True),
    Judged(PRICE, "Shipping: 4.90 €", "Shipping: free over 150 €", False),
    Judged(PRICE, "In stock", "Sold out", False),
    Judged(JOBS, "", "Senior Data Engineer, Berlin", True),
    Judged(JOBS, "", "Senior Data Engineer, Munich, on site", False),
    Judged(JOBS, "", "Junior Developer (remote)", False),
    Judged(JOBS, "", "Principal Engineer, anywhere in Europe, fully remote", True),
    Judged(JOBS, "Senior Designer, Berlin", "", False),
    Judged(JOBS, "", "We are hiring: visit us at the fair in Berlin", False),
    Judged(COOKIES, "", "We use cookies to improve your experience.", False),
    Judged(COOKIES, "Accept", "Accept all cookies", False),
    Judged(COOKIES, "Open from 9 to 17.", "Open from 9 to 18.", True),
    Judged(COOKIES, "", "The annual meeting is on 4 May.", True),
    Judged(COOKIES, "Cookie settings", "Manage cookie settings", False),
    Judged(SECURITY, "", "Fixed: a crafted file could run code (CVE-2026-1234).", True),
    Judged(SECURITY, "", "Added: a dark theme.", False),
    Judged(SECURITY, "", "Fixed a typo in the documentation.", False),
    Judged(SECURITY, "", "TLS certificates are verified again.", True),
    Judged(SECURITY, "", "Improved the performance of large lists.", False),
    Judged(TICKETS, "Ausverkauft", "Noch 12 Karten verfügbar", True),
    Judged(TICKETS, "Noch 12 Karten verfügbar", "Ausverkauft", False),
    Judged(TICKETS, "Einlass 19 Uhr", "Einlass 19:30 Uhr", False),
    Judged(TICKETS, "", "Zusatztermin am 3. Juni: Vorverkauf ab sofort", True),
    Judged(TICKETS, "Foto: M. Weber", "Foto: Marie Weber", False),
    Judged(LAW, "Rent may rise by 20 % in 3 years.", "Rent may rise by 11 % in 3 years.", True),
    Judged(LAW, "Last edited on 3 May", "Last edited on 4 May", False),
    Judged(LAW, "The notice period is three months.", "The notice period is six months.", True),
    Judged(LAW, "Published by the Ministry of Justice", "Published by the Justice Ministry", False),
    Judged(LAW, "", "Speed limits in cities are reviewed each year.", False),
    Judged(RECALLS, "", "Recall: salmonella found in smoked salmon of lot 44.", True),
    Judged(RECALLS, "", "Recall: chargers may overheat.", False),
    Judged(RECALLS, "", "Our new opening hours", False),
    Judged(RECALLS, "", "Warning: baby formula may contain pieces of plastic; return it.", True),
    Judged(OUTAGE, "All systems operational", "Partial outage: payments fail", True),
    Judged(OUTAGE, "Partial outage: payments fail", "Resolved: payments work again", True),
    Judged(OUTAGE, "", "Planned maintenance on Sunday from 2 to 4.", False),
    Judged(OUTAGE, "Uptime 99.98 %", "Uptime 99.97 %", False),
)
