"""Texts, words and quotations for the parts of the matcher."""

# fmt: off
MARKS = (
    ("5-10", "5/10"), ("5-10", "5 10"), ("5-10", "510"), ("5:10", "5.10"), ("5^10", "510"),
    ("1.250", "1,250"), ("1.234,50", "1,234.50"), ("1.234.50", "1,234.50"), ("$45", "($45)"),
    ("(45.10)", "45.10"), ("-45", "45"), ("+45", "45"), ("45", "+45"),
    ("+1-870-931-0505", "1-870-931-0505"), ("(870) 931-0505", "870-931-0505"), (">5", "5"), ("≥5", ">=5"),
    ("<5", ">5"), ("x <y", "x y"), ("5 -> 6", "5 6"), ("~5", "≈5"), ("5%", "5"), ("5 %", "5%"),
    ("5‰", "5%"), (".5", "5"), ("0.5", ".5"), ("$.5", "$5"), ("4+", "4"), ("4-", "4"), ("O+", "O"),
    ("(+)", "(-)"), ("test (+)", "test"), ("CD4+", "CD4"), ("[x] yes", "[ ] yes"), ("☒ yes", "☑ yes"),
    ("✓ yes", "✗ yes"), ("✓ a ✗ b", "✓ a ☐ b"), ("☐ a ☒ b", "☒ b"), ("☒ b", "☐ a ☒ b"), ("a", "☒ a"),
    ("½", "1/2"), ("10²", "10^2"), ("10²", "102"), ("1–2", "1-2"), ("3÷4", "3/4"), ("a-b", "ab"),
    ("5, 6", "5 6"), ("2012-12-01", "2012.12.01"), ("2012-12-01", "20121201"), ("12:30", "12.30"),
    ("12:30", "1230"), ("5/", "5"), ("1234567-8", "12345678"), ("12-34", "1234"), ("1-2-3", "123"),
    ("12/34", "12-34"), ("ab", "ac"), ("5.", "5"), (("-$2,480.17"), "($2,480.17)"), ("2480.17-", "2480.17"),
    ("(2480)", "2480"), ("5 | 6", "5 6"), ("", ""), ("5--6", "5-6"), ("(45.10", "45.10"), ("-45.10", "45.10"),
    ("45.10)", "45.10"), ("1-5-/6", "1-5-6"),
)

PHRASES = (
    "March 3, 2024", "20240303", "3/3/2024", "the 3rd of March 2024", "third", "21st", "121st", "1,250.50",
    "$5", "-5", "(5)", "5 million", "5k", "5 K", "5 mm", "5mb", "2bn", "1.5 thousand", "one",
    "twenty-one (21)", "two", "one hundred and five", "two thousand three hundred", "a third", "two-thirds",
    "two thirds", "1/3", "1 1/2", "66⅔", "½", "66 2/3 %", "5 percent", "5 per cent",
    "five dollars and cents", "1/0", "on Monday", "about 500", "fifteen million", "hundred", "and",
    "first and second", "twentieth", "5-6", "5.5.5", "A5", "5/6/7", "12:30", "three quarters of one",
    "half", "a half", "seven eighths", "eight", "zero", "1e5", "5,00", "5,000,000", "",
)

QUOTED = (
    "plain words here", "<b>bold</b> &amp; <br/>line", "x <y and z>", "10<sup>2</sup> cells",
    "> quoted line", "> 5", "> 5 weeks", "> a\n> b", "> a\nb", "[x] done", "- [ ] open item",
    "[the link](https://x.y/z) on", r"\textbf{strong} \emph{it}", "&lt;b&gt;twice&lt;/b&gt;",
    "1. first item", "(a) item", "1234. no", "12) yes", "one ... two", "one […] two … three", "... one",
    "one ....", "one . . . two", "one [ ... ] two", "a..b", "said [1] and [2, 3]", "said (p. 4)",
    "[Source: letter, page 2] said", "Quote: said it", "said — p. 7", "【4†source】said", "said[^1]", "[sic]",
    "```text\nsaid\n```", "<page>3</page> said", "![alt](x.png) said", "<cite index='1'>said</cite>",
    "Evidence — said", "(see page 3 of 9)", "it (pp. 3-5) says", "", " \t\n ", "a\u200bb \u00ad",
    "naïve Straße Œuvre", "٣ ३", "ﬁne", "한국어 문장", "x" * 30, "[x]", "( X )", "A.B.C. 5%",
)

WORDS = (
    ("zolpidexamotrin", "zolpidoxamotnin"), ("xarvolimobat", "xarvalimobot"), ("III", "II"), ("VI", "IV"),
    ("XIV", "ABC"), ("dose/week", "dose/week/day"), ("and/or", "andor"), ("left-sided", "right-sided"),
    ("modern", "modem"), ("modern", "modenn"), ("clinic", "c1inic"), ("left", "right"), ("left", "lest"),
    ("accept", "except"), ("hyper", "hypo"), ("hypertension", "hypotension"), ("not", "now"),
    ("not", "n0t"), ("Petrenko", "Petrenka"), ("Westergren", "Wesfergren"), ("Okafor", "0kafor"),
    ("Okafor", "kafor"), ("II", "III"), ("QD", "OD"), ("BID", "TID"), ("MRI", "MR1"), ("sapm1e", "sample"),
    ("recieve", "receive"), ("teh", "the"), ("dose/week", "dose/weak"), ("and/or", "and/on"),
    ("x@y.com", "x@y.con"), ("Xarelto", "Xarelta"), ("a", "o"), ("lumbar", "1umbar"), ("lumbar", "lumber"),
    ("lombar", "lumbar"), ("5mg", "5rng"), ("A1B", "A18"), ("S39", "839"), ("unable", "able"),
    ("able", "unable"), ("inflammation", "inflamation"), ("clerk", "derk"), ("IN", "lN"),
    ("paracetamol", "paracetarnol"), ("Smith", "Smyth"), ("knee", "kneel"), ("treatment", "treatrnent"),
    ("of", "or"),
)
# fmt: on
