"""Words that carry no meaning in a question, and words that carry little.

Lists only; how they are applied is `terms`.
"""

_STOP_WORDS = """
a an the of in on at to for from by with and or nor but if so as is are was were be been being am do does
did done has have had having this that these those there here it its they them their he him his she her hers
we us our you your i me my who whom whose what which when where why how much many long often any some all
each every no not yes can could may might shall should will would must than then also just only about into
over under up out off per please tell give show find say says said state stated states list according
documents document file record records claim case information whether exactly currently during after before
between against own get got made make ever yet still other another same such most more s t re
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words that are never looked for."""

_LIGHT_WORDS = """
number percentage percent amount company firm name named names day night take takes took taken level come
comes apply applies applied carry carries carried decide decided decision perform performed performs find
found finding use used uses large big heavy old long far tall current currently latest recent recently last
new now today happen happened happening occur occurred set sets report reported document first sign signed
signs written wrote write writes give given gives see seen know known knows hear heard hears stand stands
charge charged code total sum together overall all move moved moves call called calls calculate calculated
corrected correct correctly include included worker employee claimant applicant patient examinee injured
person party woman man mr ms mrs dr hold holds held do done make made makes issue issued issues place date
time year month week locate location live lives living work works working job cost costs expect expected
result results
"""
LIGHT_WORDS = frozenset(_LIGHT_WORDS.split())
"""Words that say little about what is asked: a question is answered although they are missing."""
