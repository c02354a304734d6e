# ruff: noqa: RUF001 - letters of many scripts
"""The words by which shops say whether something is in stock, and the terms of schema.org."""

import re

from schemas.records.scripts import DENSE_SCRIPTS
from schemas.records.stocks import (
    BACK_ORDER,
    DISCONTINUED,
    IN_STOCK,
    IN_STORE,
    OUT_OF_STOCK,
    PRE_ORDER,
    STOCKS,
    TO_ORDER,
)

TERMS = {
    "instock": IN_STOCK,
    "onlineonly": IN_STOCK,
    "limitedavailability": IN_STOCK,
    "instoreonly": IN_STORE,
    "preorder": PRE_ORDER,
    "presale": PRE_ORDER,
    "backorder": BACK_ORDER,
    "availablefororder": BACK_ORDER,
    "madetoorder": TO_ORDER,
    "outofstock": OUT_OF_STOCK,
    "oos": OUT_OF_STOCK,
    "soldout": OUT_OF_STOCK,
    "reserved": OUT_OF_STOCK,
    "discontinued": DISCONTINUED,
}
"""Terms of schema.org and Open Graph, in small letters alone."""

_PHRASES = {
    OUT_OF_STOCK: """
        out of stock|not in stock|no longer in stock|sold[ -]?out|(?:currently|temporarily)
        (?:unavailable|not available)|is (?:unavailable|not available)
        |not currently available|(?:notify|email|tell|remind) me when
        |when (?:it is |it's )?(?:available|back in stock)|no longer available|0 in stock
        |(?:derzeit|momentan|zurzeit|aktuell|leider)? ?(?:nicht (?:mehr )?(?:auf lager|vorrätig
        |verfügbar|lieferbar)|ausverkauft|vergriffen)
        |rupture(?: de stock)?|épuisée?s?|plus en stock|pas en stock|actuellement indisponible
        |(?:produit|article|temporairement) indisponible|non disponible|plus disponible
        |agotad[oa]s?|sin (?:stock|existencias)|fuera de stock|no disponible
        |(?:no|non) hay existencias|esaurit[oaie]|non disponibil[ei]|prodotto terminato
        |esgotad[oa]s?|fora de estoque|sem (?:estoque|stock)|indisponível
        |uitverkocht|niet (?:meer )?(?:op voorraad|leverbaar|beschikbaar)
        |wyprzedan[yae]|brak w magazynie|niedostępn[yae]|chwilowo niedostępn[yae]
        |slutsåld[at]?|slut i lager|ej i lager|inte i lager|tillfälligt slut
        |udsolgt|ikke på lager|utsolgt|ikke på lager
        |loppu(?:unmyyty|nut)|ei varastossa|tilapäisesti loppu
        |vyprodáno|není skladem|nedostupné|vypredané|nie je na sklade
        |tükendi|stokta yok|stok yok|mevcut değil
        |нет в наличии|нет на складе|распродано|закончил(?:ся|ась|ось|ись)|немає в наявності
        |elfogyott|nincs (?:raktáron|készleten)|stoc epuizat|indisponibil
        |εξαντλήθηκε|εξαντλημένο|μη διαθέσιμο|hết hàng|stok habis|สินค้าหมด|ไม่มีสินค้า
        |在庫切れ|在庫なし|在庫(?:が|は)?ありません|売り切れ|売切れ|完売|品切れ|入荷待ち
        |缺货|(?:暂无|没有)(?:现货|库存)|缺貨|无货|無貨|售罄|售完|已售完|暂时无货|到货通知|补货中|補貨中
        |품절|재고 ?없음|일시 ?품절|매진|غير متوفر|نفد من المخزون|نفدت الكمية|אזל מהמלאי|לא במלאי
    """,
    PRE_ORDER: """
        pre-?order|available for pre-?order|vorbestell(?:en|bar|ung)|jetzt vorbestellen
        |précommande[rz]?|pré-commande[rz]?|en précommande|reserva anticipada|preventa|preordin[aeo]
        |pré-venda|pré-encomenda|pre-?orderen|przedsprzedaż|förbeställ|forudbestil|forhåndsbestill
        |ennakkotila(?:us|a)|předobjedn(?:at|ávka)|ön sipariş|предзаказ|передзамовлення
        |előrendel(?:és|hető)|precomandă|προπαραγγελία|đặt trước|予約受付中|ご予約|予約商品
        |预售|預售|预订|預購|예약 ?(?:판매|구매)|طلب مسبق|הזמנה מוקדמת
    """,
    BACK_ORDER: """
        (?:on )?back[ -]?order(?:ed)?|available on order|nachbestell(?:t|bar)
        |disponible sur commande
        |bajo pedido|su ordinazione|sob encomenda|op bestelling|na zamówienie|beställningsvara
        |bestillingsvare|tilaustuote|na objednávku|под заказ|під замовлення|お取り寄せ|取り寄せ
    """,
    DISCONTINUED: """
        discontinued|nicht mehr im sortiment|produktion eingestellt|produit arrêté|descatalogado
        |fuori produzione|fora de linha|uit het assortiment|produkt wycofany|utgått
        |снят[оаы]? с производства|販売終了|生産終了|停产|停產|단종
    """,
    IN_STORE: """
        in[ -]store only|only in store|nur in (?:der )?filiale|uniquement en magasin
        |solo en tienda|solo in negozio|somente na loja|alleen in de winkel
    """,
    IN_STOCK: """
        in[ -]stock|(?:now|also|immediately) available|available (?:now|immediately)
        |ships (?:today|now)|(?:only )?\\d+ left\\b|ready to ship
        |auf lager|vorrätig|sofort (?:lieferbar|verfügbar)
        |noch \\d+ (?:stück )?(?:verfügbar|auf lager)
        |en stock|disponible (?:immédiatement|de suite|en ligne)|expédié sous
        |en existencia|hay existencias|disponible en stock|disponibilidad inmediata
        |disponibilità immediata|in magazzino|disponibile subito|em estoque|em stock|pronta entrega
        |op voorraad|direct leverbaar|w magazynie|na stanie|dostępny od ręki
        |i lager|finns i lager|på lager|varastossa|heti saatavilla|skladem|na sklade
        |stokta(?: var)?|stok var|в наличии|есть на складе|в наявності|є в наявності
        |raktáron|készleten|în stoc|σε απόθεμα|άμεσα διαθέσιμο|còn hàng|stok tersedia|มีสินค้า
        |在庫あり|在庫有り|在庫わずか|即納|有货|有貨|现货|現貨|有库存|재고 ?있음|판매 ?중
        |متوفر(?: في المخزون)?|في المخزون|במלאי
    """,
}
_WHOLE = {
    IN_STOCK: """
        available|verfügbar|lieferbar|disponible|disponibile|disponível|leverbaar|beschikbaar
        dostępny|dostępna|dostępne|tillgänglig|tilgængelig|tilgjengelig|saatavilla|dostupné|mevcut
        доступно|доступен|в продаже|elérhető|disponibil|διαθέσιμο|เหลืออยู่|사용 가능|متاح|זמין
    """,
    OUT_OF_STOCK: """
        unavailable|not available|nicht lieferbar|indisponible|agotado|niet leverbaar|slut|slutt
        недоступно|недоступен|loppu|غير متاح|לא זמין
    """,
}
WHOLE_LINES = {
    each.strip(): state
    for state, lines in _WHOLE.items()
    for line in lines.strip().split("\n")
    for each in line.split("|")
}
"""Words with this meaning only as a whole line, or as the value in a line."""


def _pattern(state: str, phrases: str) -> str:
    """Return a group for a state: of scripts without blanks the phrases may be in a word."""
    several = re.sub(r" ?\| ?", "|", " ".join(phrases.split()))
    apart = rf"(?<![^\W\d_])(?![{DENSE_SCRIPTS}])(?:{several})(?![^\W\d_])"
    return rf"(?P<s{STOCKS.index(state)}>{apart}|(?=[{DENSE_SCRIPTS}])(?:{several}))"


PHRASES = re.compile("|".join(_pattern(state, phrases) for state, phrases in _PHRASES.items()))
"""The words of each state, in small letters: the group ``s0`` is of the first, and so on."""
