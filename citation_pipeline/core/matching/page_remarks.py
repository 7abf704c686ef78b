"""What quoters say of the page a quotation is from: `(page 3)`, `[Blatt 2 von 5]`, `（1頁）`, `-- Page 2 --`.

Each may be text of a page as well, so `snippets.undecorate` takes them off only for a second reading.
"""

_LANGUAGES = r"""
pp? pgs? pages? sheets? sides? leaf folios? fols? ff? feuillets? seiten? s blatt bl str strona strony strana
pág págs pag pags página páginas pagina pagine hoja folha fls? foglio blz bladzijde sida sid sidan side sayfa
oldal halaman trang стр страница страницы лист с л σελ σελίδα עמ עמוד ص صفحة
"""
_WORDS = "|".join(_LANGUAGES.split())
_COUNTED = "one|two|three|four|five|six|seven|eight|nine|ten"
_ORDINALS = "first|second|third|fourth|fifth|sixth|last"
_OF = r"(?:\s*(?:of|von|z|ze|de|di|do|sur|su|van|av|af|из|od|/)\s*\d{1,4})?"
PAGES = rf"(?:{_WORDS})['׳]?\.?\s*(?:\d{{1,4}}(?:\s?[-–,]\s?\d{{1,4}})*|(?:{_COUNTED})\b){_OF}"
"""A page and its number, or several."""
_COUNTER = "(?:页|頁|ページ|쪽|페이지|면)"
_ANY = (
    rf"(?:{PAGES}|第?\s?\d{{1,4}}\s?{_COUNTER}(?:\s?[,、/·]?\s?[共全总]?\s?\d{{1,4}}\s?{_COUNTER})?"
    rf"|(?:the\s+)?(?:{_ORDINALS})\s+(?:page|sheet|side)|\d{{1,4}}\.\s?(?:oldal|sayfa|side|seite)|overleaf|verso|recto)"
)
_OPEN, _CLOSE = r"[\[(（【〔]\s*", r"\s*[\])）】〕]"
_IN_BRACKETS = "[(（【〔"
_RULE = r"[-–—=*_#~]{2,}"

PAGE_REMARKS = (
    # wherever it stands, with what else is said of the place behind it
    (
        _IN_BRACKETS,
        rf"{_OPEN}(?:see\s+|at\s+|from\s+|on\s+|source:?\s*)?{_ANY}(?:\s*(?:of|/|[,;:])[^()\[\]（）]{{0,40}})?{_CLOSE}",
    ),
    # behind a quotation, with the paper's name or item: (Smith report, p. 1), [Finding 3, p. 1]
    (_IN_BRACKETS, rf"{_OPEN}(?:[^()\[\]（）\n]{{1,60}}[,;:]\s*)?{_ANY}{_CLOSE}\W{{0,3}}\Z"),
    ("-–—=*_#~", rf"(?:(?<=\s)|\A){_RULE}\s*\[?{_ANY}\]?\s*{_RULE}(?=\s|\Z)"),
    (":—–-", rf"\A\W{{0,3}}{_ANY}\s*[:—–-]\s+(?=\S)"),
    ("—–-", rf"\s[—–-]{{1,2}}\s*{_ANY}\s*$"),
)
"""Patterns, found whatever their case, each with the characters of which a text holds at least one."""
