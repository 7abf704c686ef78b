r"""Signs that a quotation spells as LaTeX does (`$\geq$ 5`, `10^{9}`), drawn as a page prints them."""

import re

_SIGNS = {
    "geq": "≥", "geqslant": "≥", "ge": "≥",
    "leq": "≤", "leqslant": "≤", "le": "≤", "neq": "≠", "ne": "≠",
    "gt": ">", "lt": "<", "pm": "±", "mp": "∓", "approx": "≈", "sim": "~", "simeq": "≈", "times": "×",
    "cdot": "·",
    "div": "÷",
    "ldots": "…", "dots": "…", "cdots": "…", "rightarrow": "→", "to": "→", "leftarrow": "←",
    "Rightarrow": "⇒", "degree": "°", "circ": "°", "textdegree": "°", "mu": "µ", "textmu": "µ", "alpha": "α",
    "beta": "β", "gamma": "γ", "delta": "δ", "Delta": "Δ", "sigma": "σ", "lambda": "λ", "omega": "ω",
    "Omega": "Ω",
    "pi": "π", "theta": "θ", "S": "§", "P": "¶", "euro": "€", "pounds": "£", "textendash": "–",
    "textemdash": "—", "bullet": "•", "checkmark": "✓", "quad": " ", "qquad": " ", "textbullet": "•",
    "dotfill": " ", "hfill": " ", "hrulefill": " ",
    "textasciitilde": "~", "textdollar": "$", "dag": "†", "ddag": "‡",
    "boxtimes": "☒", "XBox": "☒", "CheckedBox": "☑", "boxdot": "☒", "square": "☐", "Box": "☐",
    "cmark": "✓", "xmark": "✗",
}  # fmt: skip
_COMMAND = re.compile(rf"\\({'|'.join(sorted(_SIGNS, key=len, reverse=True))})(?![A-Za-z])(?:\{{\}})?")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]{1,40})\}\s*\{([^{}]{1,40})\}")
_SPACED_MICRO = re.compile(r"µ (?=[A-Za-z]{1,3}\b)")  # a command's name ends in a blank: `\mu L`
_RAISED_DEGREE = re.compile(r"\^\s*\{?\s*°\s*\}?")
_RAISED, _LOWERED = re.compile(r"\^\s*\{([^{}]{1,20})\}"), re.compile(r"_\s*\{([^{}]{1,20})\}")
_BRACED_MARK = re.compile(r"\{([,.])\}")  # 1{,}000
_DELIMITER = re.compile(r"(?<!\\)\$|\\[()]")


def draw_formulas(text: str) -> str:
    """Return a text with LaTeX's commands of signs, fractions and raised figures as the signs themselves.

    Dollar signs are those of money unless there are formulas, in pairs, for them to be around.
    """
    drawn = _COMMAND.sub(lambda found: _SIGNS[found[1]], _FRACTION.sub(r" \1/\2", text))
    drawn = _SPACED_MICRO.sub("µ", drawn)
    drawn = _RAISED_DEGREE.sub("°", drawn)
    drawn = _BRACED_MARK.sub(r"\1", _LOWERED.sub(r"\1", _RAISED.sub(r"^\1", drawn)))
    if drawn == text or len(_DELIMITER.findall(drawn)) % 2:
        return drawn
    return _DELIMITER.sub("", drawn)
