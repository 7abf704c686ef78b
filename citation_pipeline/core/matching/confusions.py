"""What scanners take for what: whether one key can be a misreading of another.

The pairs are shapes that look alike in print, in both directions; they follow what is published about
recognition errors (Tesseract's `unicharambigs`, the UNLV-ISRI accuracy reports).
Which side was misread, and whether the misreading may be excused, is `checks`' decision.
"""

from functools import lru_cache

from rapidfuzz.distance import OSA

from citation_pipeline.core.matching.numerals import look

_SHAPES = """
a:o,e,s,d c:e,o,g,t,q d:o,b,0,a e:c,o,a,s,r,b,p f:t,l,p,i g:q,9,s,y,o h:b,n,k,li i:l,1,j,t,r
j:i,l,1,t k:h,x,lc l:1,i,t,f,j m:n,rn,nn,in,ni,iu n:r,u,h,m,v,ri,ii o:0,c,a,e,q,d p:r,n,e,f,o
r:t,n,i,f,v s:5,e,a,8,t t:l,f,r,i,1,c u:n,v,o,ii,li,ti v:y,u,r w:vv,v,uu y:v,g x:k z:2,s
b:h,8,6,e,o 0:o,d,q 1:i,l,t,j 2:z 3:8,b 4:a 5:s 6:b,g,c 7:t,1 8:b,3,s 9:g,q
"""
_CAPITALS = ("bepr", "cgoqd0", "ef", "hnmk", "il1jt", "s58", "uvy", "vw", "xk", "z27", "b8", "ad4")
_THIN = frozenset(b"iltjfr1")  # a speck, a rule or a torn stroke is read as one of these

_CONFUSED = 1.0
_DROPPED = 1.0  # a faint letter is read as nothing
_SPECK = 1.0
_OTHER = 2.0  # anything else takes more than one blot


def slips_between(quoted: bytes, printed: bytes) -> int:
    """Return the least slips of a pen or a scanner between two keys; two letters changed over are one."""
    return min(OSA.distance(quoted, printed), OSA.distance(look(quoted), look(printed)))


def _pairs() -> frozenset[tuple[bytes, bytes]]:
    found: set[tuple[bytes, bytes]] = set()
    for entry in _SHAPES.split():
        first, _, others = entry.partition(":")
        for other in others.split(","):
            found |= {(first.encode(), other.encode()), (other.encode(), first.encode())}
    return frozenset(found)


_PAIRS = _pairs() | {(b"d", b"cl"), (b"cl", b"d"), (b"li", b"h"), (b"lo", b"b")}


@lru_cache(maxsize=4096)
def misreading_cost(true: bytes, seen: bytes) -> float:
    """Return the cheapest way in which `true` was read as `seen`: one a likely slip, two an unlikely one."""
    # rn for m, 1 for l: the commonest of all, and cheaper than any other
    if look(true) == look(seen):
        return 0.5
    rows, columns = len(true), len(seen)
    cost = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows + 1):
        for j in range(columns + 1):
            if i or j:
                cost[i][j] = min(_steps(cost, true, seen, i, j))
    return cost[rows][columns]


def are_alike_capitals(ours: bytes, theirs: bytes) -> bool:
    """Tell whether two keys that are written in capitals differ in one letter, by shapes that look alike."""
    if len(ours) != len(theirs):
        return False
    differing = [(chr(a), chr(b)) for a, b in zip(ours, theirs, strict=True) if a != b]
    return len(differing) == 1 and any(set(differing[0]) <= set(shapes) for shapes in _CAPITALS)


def _steps(cost: list[list[float]], true: bytes, seen: bytes, i: int, j: int) -> list[float]:
    found: list[float] = []
    if i:
        found.append(cost[i - 1][j] + _DROPPED)
    if j:
        found.append(cost[i][j - 1] + (_SPECK if seen[j - 1] in _THIN else _OTHER))
    if i and j:
        same = true[i - 1] == seen[j - 1]
        pair = (true[i - 1 : i], seen[j - 1 : j])
        found.append(cost[i - 1][j - 1] + (0.0 if same else _CONFUSED if pair in _PAIRS else _OTHER))
        for a, b in ((1, 2), (2, 1)):
            if i >= a and j >= b and (true[i - a : i], seen[j - b : j]) in _PAIRS:
                found.append(cost[i - a][j - b] + _CONFUSED)
        if i > 1 and j > 1 and true[i - 2 : i] == seen[j - 2 : j][::-1]:
            found.append(cost[i - 2][j - 2] + _CONFUSED)
    return found


@lru_cache(maxsize=4096)
def readings_of(seen: bytes) -> frozenset[bytes]:
    """Return every key that one likely slip could have turned into `seen`, words or not."""
    found: set[bytes] = set()
    for at in range(len(seen)):
        for width in (1, 2):
            for true in _TRUE_SHAPES.get(seen[at : at + width], ()):
                found.add(seen[:at] + true + seen[at + width :])
        if seen[at] in _THIN:
            found.add(seen[:at] + seen[at + 1 :])
    return frozenset(found)


def _by_shape() -> dict[bytes, tuple[bytes, ...]]:
    found: dict[bytes, list[bytes]] = {}
    for true, seen in sorted(_PAIRS):
        found.setdefault(seen, []).append(true)
    return {seen: tuple(shapes) for seen, shapes in found.items()}


_TRUE_SHAPES = _by_shape()
