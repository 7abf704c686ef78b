"""The field's concepts, each with the phrases and abbreviations for it, and groups of synonyms.

Lists only; how they are applied is `terms`. Everything is folded: lower case, no accents.
"""

from collections.abc import Iterator

# a concept a line, and the ways in which documents and people say it; an indented line goes on
_CONCEPTS = """
injury_date: date of injury | doi | d/i | date of loss | loss date | injury date | onset of illness |
    injured on | date of accident | get hurt | got hurt | was injured | injury occur | injury occurred |
    injury happen | accident happen | date and hour of injury
birth_date: date of birth | dob | birth date | born | birthday | birthdate
hire_date: date of hire | hire date | doh | hired | employed since | start working | started working |
    start there | began working
last_worked: date last worked | last day worked | last worked | last day of work
claim_number: claim number | claim no | claim # | our file | client claim | client's file | file number |
    claim identifier
policy_number: policy number | policy no | insurance policy number
panel_number: panel no | panel number
board_case: adj number | adj no | wcab case number | wcab case no | wcab case | board case number |
    board case | wcab number | eams number | eams case no | eams case number
venue: district office | venue | wcab office | board location
wage: average weekly wage | aww | average weekly earnings | awe | average per week | weekly earnings |
    earnings at time of injury | weekly wage
hourly_rate: hourly rate | rate of pay | per hour | an hour | hourly pay | hourly wage | base pay
td_rate: td rate | ttd rate | temporary disability rate | weekly td | comp rate |
    weekly compensation rate | temporary disability, weekly rate | weekly temporary disability
td: temporary disability | ttd | td | temporary total disability | tpd
pd_advance: pd advance | pd advances | permanent disability advances | permanent disability advance
pd: permanent disability | pd rating | final pd | pd | permanent disability rating
wpi: whole person impairment | wpi | percent whole person | whole person | impairment rating
mmi: maximum medical improvement | maximal medical improvement | mmi | permanent and stationary | p&s |
    p & s | stationary status | p and s
apportionment: apportionment | apportioned | apportion | non-industrial factors | non-industrial |
    nonindustrial | non-ind
ptp: primary treating physician | ptp | treating physician | treating doctor | treater |
    attending physician | treating surgeon
qme: panel qualified medical evaluator | qualified medical evaluator | qualified medical evaluation |
    panel qme | pqme | qme | agreed medical evaluator | ame | medical-legal evaluator |
    medical legal evaluator | qualified medical examiner
ur: utilization review | ur
rfa: request for authorization | rfa
imr: independent medical review | imr
mri: mri | magnetic resonance
ct_injury: cumulative trauma | continuous trauma
applicant_attorney: applicant's attorney | applicant attorney | applicant's counsel |
    attorney for applicant | aa | applicant's lawyer | represents the applicant | represents the worker |
    represents the injured worker | represents the claimant | for applicant | claimant's attorney |
    worker's attorney | worker's lawyer
defense_attorney: defense attorney | defense counsel | da | attorney for defendant |
    attorney for defendants | defence counsel | for defendants | for defendant | represents the employer |
    represents the defendant
settlement: compromise and release | c&r | settlement | settle | settled | stipulations | stips
msc: mandatory settlement conference | msc
siu: special investigations unit | siu | special investigations
sjdb: supplemental job displacement benefit | supplemental job displacement | sjdb voucher | sjdb |
    job displacement voucher | voucher
subrogation: subrogation | subro | third party | third-party
msa: medicare set-aside | medicare set aside | set-aside | msa | wcmsa
medicare: medicare beneficiary | medicare
rtw: return to work | rtw | returned to work | return to modified work | came back to work |
    date returned to work | back to work | resume work | resumed work
work_status: work status | duty status
restrictions: work restrictions | restrictions | preclusions | limitations | work restriction |
    restricted to | no lifting | not lift
next_visit: next appointment | next visit | next ov | next appt | return on | rtc | follow-up visit |
    next office visit | next doctor visit | appointment date
diary: next diary | diary date | diary
action_plan: plan of action | poa | action plan | to do | action items | next steps
employer_knowledge: date of employer's knowledge | employer first knew | employer's knowledge |
    known to er | er knew | date reported | reported to the employer | notice of injury | learned of the |
    find out about | employer learn | employer know | employer knew
premises: employer's premises | employer premises | on premises | premises
how_injured: how injury occurred | mechanism of injury | description of accident | describe injury |
    how it happened | sequence of events | specific activity | cause of the injury
place_of_injury: place of injury | location where event occurred |
    location where event or exposure occurred | injured at | where injury happened | accident location |
    event took place
future_medical: future medical care | future medical treatment | future medical |
    further medical treatment | future care | further care | future treatment
icd: icd-10 | icd 10 | icd code | diagnosis code | icd
physical_therapy: physical therapy | pt notes
aoe_coe: aoe/coe | arising out of | arose out of | course of employment | course and scope
claims_administrator: claims administrator | tpa | third party administrator | adjusting agency |
    administered by | admin. office | claims adjusting company
carrier: insurance carrier | insurance company | insurer | carrier | underwriting company |
    insurance policy
incurred: incurred
outstanding: outstanding reserve | outstanding | o/s | reserve | reserves
total_paid: total paid to date | total paid | paid to date | payments to date | grand total | paid in all
lien: lien claimant | lienholder | lien | liens
edd: employment development department | edd | state disability insurance
social_security: social security number | ssn | social security
phone: telephone number | phone number | telephone | phone | tel | call
fax: facsimile | fax
email: e-mail address | email address | e-mail | email
hearing: next hearing | hearing | trial
address: mailing address | street address | address | located at | located | situated
red_flags: red flags | red flag | fraud indicators | indicators
job_title: job title | occupation | occupation (regular job title) | regular job | employed as | position
delay: on delay | delayed | delay
"""

# a group a line; the first word names it
_SYNONYMS = """
worker employee claimant applicant examinee patient subject
employer insured
adjuster examiner
attorney lawyer counsel
physician doctor
surgery operation procedure operative operated surgical
medication medicine drug prescription prescribed meds
injury accident injured hurt injuries
paid payment pay pays payments
amount sum
clinic facility
accepted accept admitted acceptance
denied deny denial
certified certify certification
evaluation examined examination exam evaluated evaluate
diagnosis diagnoses diagnosed impression
witness witnessed saw witnesses unwitnessed eyewitness
hobby hobbies
weigh weight weighs weighed heavy pounds pound lb lbs
judge wcj hon
wage earnings salary wages
sex gender
specialty speciality
total totals together
children kids
interview statement interviewed
letter notice
company corporation
defense defence defend defends defendant defendants
begin began start started starts
end ended ends final thru through
invoice bill billed
"""


def _entries(lines: str) -> Iterator[str]:
    """Return a list's entries with the lines on which they go on."""
    entry = ""
    for line in lines.strip().splitlines():
        if line.startswith(" "):
            entry += line
            continue
        if entry:
            yield entry
        entry = line
    yield entry


def _phrases(entry: str) -> tuple[str, tuple[str, ...]]:
    concept, _, listed = entry.partition(":")
    return concept, tuple(" ".join(phrase.split()) for phrase in listed.split("|"))


PHRASES: dict[str, tuple[str, ...]] = dict(map(_phrases, _entries(_CONCEPTS)))
"""Concept to the phrases that mean it."""

SYNONYMS: tuple[tuple[str, ...], ...] = tuple(tuple(entry.split()) for entry in _entries(_SYNONYMS))
"""Words that may stand for one another; the first names the group."""
