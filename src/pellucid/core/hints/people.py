"""Whether the name of a column says that it numbers people."""

from __future__ import annotations

from typing import Literal

from pellucid.core.hints import NUMBERING, words_of

OF_PEOPLE = """
    patient patients person people subject subj participant respondent client member customer user employee emp student
    stu resident beneficiary bene individual proband worker child pat pt resp indiv pers insured driver applicant
    patienten personen versicherten mitarbeiter kunden mitglieds schueler paciente persona
"""
IN_ONE = """
    patientid personid subjectid subjid usubjid participantid pid mrn ssn nhs seqn caseid respid responseid patid ptid
    memberid userid clientid customerid idpaciente employeeid empid studentid enrolid beneid desynpuf patientennummer
    personennummer versichertennummer matrikelnummer patientnr patnr persnr pnr rid passport nin cpf patientennr email
    mail iban username login dni nif bsn ahv
"""
OTHERS = "study anon anonymous pseudo pseudonym hash hashed unique new original medical"
BARE = "id ids uid uuid guid key case record nr no number"
PERSON, IN_ONE_WORD, BESIDE, PLAIN = (frozenset(words.split()) for words in (OF_PEOPLE, IN_ONE, OTHERS, BARE))

Sure = Literal["", "maybe", "surely"]


def numbers_people(column: str) -> Sure:
    """Whether a name says that its values are numbers of people: surely, or maybe, where they may be of other things.

    >>> [numbers_people(name) for name in ("patient_nbr", "SEQN", "ID", "patient", "hospital_id", "patient_weight")]
    ['surely', 'surely', 'maybe', 'maybe', '', '']
    """
    words = [word for word in words_of(column) if not word.isdigit()]
    if not words:
        return ""
    if IN_ONE_WORD.intersection(words):
        return "surely" if (NUMBERING | IN_ONE_WORD | BESIDE | PERSON).issuperset(words) else ""
    if not (NUMBERING | PERSON | BESIDE).issuperset(words) or words[0] in ("number", "no"):
        return "maybe" if words in (["number"], ["no"]) else ""
    if PERSON.intersection(words):
        return "surely" if NUMBERING.intersection(words) else "maybe"
    return "maybe" if PLAIN.issuperset(words) else ""
