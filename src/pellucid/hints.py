"""What the name of a column says about it, in a few languages."""

from __future__ import annotations

import re
import unicodedata

from pellucid.schema import Role

# Words are matched whole; a word with a star matches every word that begins with it.
_WORDS = {
    Role.SENSITIVE: """disease* diag diagnos* icd icd9 icd10 illness* disorder* symptom* condition hiv aids cancer*
        tumor* treatment* therap* medication* drug* prescription* injur* disabilit* income* salar* wage* pay
        earning* revenue* debt* credit* loan* balance wealth* religio* belief* party vote* politic* orientation
        crime* criminal* offen* conviction* arrest* sentence* abuse* alcohol* addict* pregnan* std test result*
        score* grade* krank* befund* medikament* einkommen* gehalt* lohn schuld* glaube* maladie* traitement*
        salaire* revenu* enfermedad* diagnostico* tratamiento* ingreso* sueldo* salario* doenca* renda malattia*
        stipendio* reddito""",
    Role.QUASI: """age alter edad idade eta birth* born dob yob bday geburt* naissance nacimiento nascimento nascita sex
        gender geschlecht sexe sexo sesso genre genero zip zipcode* postal* postcode* plz cp cep cap city town
        village stadt ville ciudad cidade citta region* county district province* state country* land pays pais
        paese national* citizen* race ethnic* birthplace* marital* civil married education* degree school*
        occupation* profession* job* beruf* employ* workclass hours language* sprache* household* children height
        weight admission* discharge* date* year* latitude longitude lat lon insurance* payer* address* street*
        strasse rue calle""",
    Role.IDENTIFIER: """name* vorname nachname firstname lastname surname nom prenom nombre apellido* nome cognome ssn
        nhs mrn nin dni nif cpf bsn avs ahv passport* account* iban email* mail phone* mobile* telefon* tel fax
        patient* customer* client* member* user* login id ids uid uuid guid key number nummer no nr row index record
        case matricule*""",
}
# These number rows or things as often as people, so a column with such a name identifies only if it never repeats.
_NUMBERING = "id ids uid uuid guid key number nummer no nr row index record case"
NUMBERING = frozenset(_NUMBERING.split())
# A number of things is rarely what people hide: "num medications" is no medication.
COUNTING = frozenset({"num", "number", "count", "counts", "total", "n", "no", "nr", "anzahl", "nombre", "numero"})
# What people hide first.
ILLNESS = ("diag", "disease", "icd", "illness", "krank", "maladie", "enfermedad", "doenca", "malattia")
# A word for a secret or a place decides even beside a word for a person: "patient diagnosis", "birth place name".
_ORDER = (Role.SENSITIVE, Role.QUASI, Role.IDENTIFIER)


def words_of(column: str) -> list[str]:
    """The words of a column's name, lower case and without accents.

    >>> words_of("dateOfBirth"), words_of("Âge (années)"), words_of("ZIP_CODE")
    (['date', 'of', 'birth'], ['age', 'annees'], ['zip', 'code'])
    """
    plain = unicodedata.normalize("NFKD", column).encode("ascii", "ignore").decode()
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", plain)]


def hinted_role(column: str) -> tuple[Role, str] | None:
    """The role that the name suggests and the word that suggests it.

    >>> hinted_role("patient_diagnosis")
    (<Role.SENSITIVE: 'sensitive'>, 'diagnosis')
    >>> hinted_role("x17") is None
    True
    """
    words = words_of(column)
    for role in _ORDER:
        for pattern in _WORDS[role].split():
            stem = pattern.rstrip("*")
            for word in words:
                if word == stem or (pattern.endswith("*") and word.startswith(stem)):
                    return role, word
    return None
