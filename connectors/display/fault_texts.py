"""Texts of refused requests, as the forms of the page get them, of channels and of verdicts."""

from connectors.languages.texts import msgid

FAULT_TEXTS = (
    # The first that fits counts, as in ``TEXTS``.
    msgid("a whole number is allowed"),
    msgid("%(lowest)s to %(highest)s seconds are allowed"),
    msgid("%(lowest)s to %(highest)s characters, not only blanks, are allowed"),
    msgid("%(lowest)s to %(highest)s characters are allowed"),
    msgid("%(lowest)s to %(highest)s failures are allowed"),
    msgid("%(lowest)s to %(highest)s notifications are allowed"),
    msgid("%(lowest)s to %(highest)s links are allowed, not %(given)s"),
    msgid("%(lowest)s to %(highest)s pages are allowed, not %(given)s"),
    msgid("%(lowest)s to %(highest)s pages are allowed here, not %(given)s"),
    msgid("%(lowest)s to %(highest)s letters, digits, '.', '_' and '-' are allowed, not %(given)s"),
    msgid("%(lowest)s to %(highest)s letters, digits, '.', '_' and '-' are allowed"),
    msgid("at most %(num)s printable characters are allowed"),
    msgid("at most %(num)s tags of 1 to %(most)s printable characters without commas are allowed"),
    msgid("at most %(num)s characters of JSON are allowed"),
    msgid("at most %(num)s characters each are allowed"),
    msgid("at most %(num)s are allowed"),
    msgid("it must not be less than the interval, which is %(num)s s"),
    msgid(
        "only for one page, not for %(pages)s, whose pages are fetched and read as your "
        "subscriptions of each say; leave it out"
    ),
    msgid("it has no word; leave it out"),
    msgid("a number such as 1299.50, with a point, is allowed, not %(given)s"),
    msgid('a number of percent above 0, such as "5", is allowed, not %(given)s'),
    msgid('a number of percent below 100, such as "1", is allowed, not %(given)s'),
    msgid("%(given)s is more than the upper limit %(above)s"),
    msgid("a locale, such as 'de' or 'de-CH', is allowed"),
    msgid("three letters, such as 'EUR', are allowed"),
    msgid("not with limits of the number, by which one number is notified and another is not"),
    msgid(
        "days and times are expected, such as Mon-Fri 08:00-18:00 or Sat,Sun 10:00-14:00, "
        "not %(given)s"
    ),
    msgid("days and times are expected, such as Mon-Fri 08:00-18:00 or Sat,Sun 10:00-14:00"),
    msgid("times from 00:00 to 24:00 are expected, not %(given)s"),
    msgid("%(given)s has no end: a day is 00:00-24:00"),
    msgid("the IANA name of a time zone is expected (perhaps %(zone)s), not %(given)s"),
    msgid("the IANA name of a time zone is expected (such as %(zone)s), not %(given)s"),
    msgid("it is no CSS selector: %(reason)s, at character %(num)s"),
    msgid("it is no CSS selector: %(reason)s"),
    msgid("it is no CSS selector that can be used in HTML"),
    msgid("it is a CSS selector with too many pseudo-classes"),
    # The reasons of soupsieve.
    msgid("Malformed attribute selector"),
    msgid("Malformed class selector"),
    msgid("Malformed id selector"),
    msgid("Malformed pseudo-class selector"),
    msgid("Unclosed pseudo-class"),
    msgid("Expected a selector"),
    msgid("Pseudo-element found"),
    msgid("Invalid character %(given)s"),
    msgid("The combinator %(given)s must have a selector before it"),
    msgid("%(given)s was detected as a pseudo-class and is either unsupported or invalid"),
    msgid(
        "a user name or password in a URL is refused, for it would be stored and listed; "
        "a page behind a login is watched with credentials"
    ),
    msgid("the URL of one page is allowed here, not pages:…"),
    msgid("%(given)s is not pages:*, pages:tag=NAME, or pages:HOST with up to three * in it"),
    msgid("port %(port)s is this deployment's own: not allowed"),
    msgid("there are no credentials %(name)s"),
    msgid("there is no channel %(name)s"),
    msgid("This key allows %(num)s subscriptions."),
    msgid("%(num)s trials a minute are allowed."),
    msgid("Not tried: other pages are being tried. Try again later."),
    msgid("Not tried: the trial took longer than %(num)s s. Try again later."),
    msgid("Not begun: other backtests of this manager wait. Try again later."),
    msgid("Not finished: the backtest took longer than %(num)s s. Try again later."),
    msgid(
        "%(address)s is already read in as many different ways as are allowed (%(own)s for one "
        "manager, and %(size)s bytes of all views), or waited for with %(patiences)s different "
        "patiences (%(most)s of all managers and views). Use one of them, or cancel a "
        "subscription first."
    ),
    msgid("It was not asked for."),
    msgid("an address of Apprise is expected, such as mailto://user:password@host"),
    msgid("it is no complete address of a service that Apprise knows"),
    msgid("only services that are reached by HTTP or e-mail are allowed"),
    msgid("it is a webhook: subscribe with its URL, so that it is challenged"),
    msgid("line %(num)s: %(reason)s"),
    msgid("%(num)s characters; %(most)s are allowed"),
    msgid("There are %(num)s credentials already; remove some first."),
    msgid("pass"),
    msgid("suppress"),
    msgid("not judged: %(reason)s"),
    msgid("not summarized: %(reason)s"),
    msgid("no language model is set"),
    msgid("the calls of the day are used up"),
    msgid("the tokens of the day are used up"),
    msgid("the model gave no answer within %(num)s s"),
    msgid("the model had other questions within %(num)s s"),
    msgid("the model cannot be reached: %(reason)s"),
    msgid("the model answered with HTTP %(status)s"),
    msgid("the answer of the model's server is no chat completion"),
    msgid("the answer of the model is not used: %(reason)s"),
    msgid("it is no JSON object"),
    msgid("its verdict is neither %(given)s nor %(other)s"),
    msgid(
        "This sign-in was not begun in this browser, took longer than 10 minutes, or is over "
        "already. Begin again."
    ),
    msgid("The answer is from another issuer, %(given)s."),
    msgid("The issuer has not accepted the sign-in: %(reason)s. Begin again."),
    msgid("The ID token of the issuer is not valid: %(reason)s"),
    msgid("Sign in with a verified e-mail address of %(given)s."),
    msgid(
        "Your account has no role here: its claim %(given)s has none of the values in "
        "VOKTER_OIDC_ROLES. Ask an administrator."
    ),
    msgid(
        "Your account has no manager here: its claim %(given)s is not one text of 1 to %(num)s "
        "characters."
    ),
    msgid("%(channel)s, daily digest at %(time)s (%(zone)s)"),
    msgid("%(channel)s, weekly digest, %(weekday)s at %(time)s (%(zone)s)"),
    msgid("e-mail to %(address)s"),
    msgid(
        "credentials %(name)s cannot be decrypted: this process does not have the deployment's "
        "signing key"
    ),
)
"""The values ``reason``, ``channel`` and ``weekday`` are translated, too."""
