"""The switch of the language of the page."""

from aiohttp import web

from connectors.languages.texts import LANGUAGES
from connectors.page.session.guard import LANGUAGE_COOKIE
from connectors.page.session.sessions import SessionCookies
from connectors.page.session.signing_in import own_path

CHOOSE = "/language"
LIFETIME_S = 365 * 24 * 3600


class LanguageHandler:
    """The handler of the switch in the foot of each page."""

    def __init__(self, cookies: SessionCookies) -> None:
        """``cookies`` say whether the browser speaks TLS."""
        self._cookies = cookies

    async def choose(self, request: web.Request) -> web.Response:
        """Remember a language in a cookie, and lead back."""
        form = await request.post()
        back = web.Response(status=303, headers={"Location": own_path(str(form.get("next", "/")))})
        if (tag := str(form.get("language", ""))) in LANGUAGES:
            back.set_cookie(
                LANGUAGE_COOKIE,
                tag,
                max_age=LIFETIME_S,
                httponly=True,
                samesite="Lax",  # links of mails lead here, too
                secure=self._cookies.is_secure(request),
            )
        return back
