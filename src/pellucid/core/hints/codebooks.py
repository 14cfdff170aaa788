"""Names of public codebooks that no vocabulary understands: the census, health and travel surveys that people publish.

From the data dictionaries of the American Community Survey (PUMS), NHANES, BRFSS, the Demographic and Health Surveys,
EU-SILC, IPUMS and UCI's student tables. A name counts only as a whole, and a short one only in capitals: ``mar`` may be
a month.
"""

from __future__ import annotations

import re

# ACS PUMS, persons and households; IPUMS where it differs
ACS_SENSITIVE = """
    PINCP PERNP WAGP SEMP INTP OIP PAP RETP SSIP SSP HINCP FINCP POVPIP DIS DDRS DEAR DEYE DOUT DPHY DREM DRAT DRATX
    HICOV PRIVCOV PUBCOV HINS1 HINS2 HINS3 HINS4 HINS5 HINS6 HINS7 FS FER GCL GCM GCR VPS MRGP GRNTP GRPIP OCPIP
    RNTP SMOCP TAXAMT VALP ELEP GASP WATP INCTOT INCWAGE INCEARN FTOTINC HHINCOME POVERTY INCSS INCWELFR FOODSTMP
    DIFFREM DIFFPHYS DIFFMOB DIFFCARE DIFFSENS DIFFEYE DIFFHEAR WKEXREL DVET
"""
ACS_QUASI = """
    AGEP CIT CITWP COW DENSITY ENG HISP MSP INDP_CAT
    RAC1P RAC2P RAC3P RACASN RACBLK RACWHT RACAIAN RACNH RACPI RACSOR RACNUM SEX MAR
    MARHT MARHYP SCH SCHG SCHL FOD1P FOD2P SCIENGP POBP POWSP POWPUMA PUMA ST REGION DIVISION OCCP INDP NAICSP SOCP
    ESR JWMNP JWTR JWTRNS JWRIP JWAP JWDP WKHP WKW WKWN WKL MIL LANX LANP RELP RELSHIPP NATIVITY NOP QTRBIR WAOB
    YOEP DECADE ANC1P ANC2P MIG MIGSP MIGPUMA HHL HHT HHT2 NP NOC NPF NRC NR R18 R60 R65 TEN TYPE TYPEHUGQ VEH BLD
    BDSP RMSP YBL HUPAC SFN SFR OC RC PSF PARTNER MULTG STATEFIP COUNTYFIP METRO RACE BPL EDUC EMPSTAT OCC IND MARST
    NCHILD FAMSIZE RELATE UHRSWORK TRANTIME CLASSWKR SPEAKENG YRIMMIG VETSTAT
"""
ACS_TECHNICAL = """
    RT ADJINC ADJHSG SPORDER SERIALNO SERIAL SAMPLE CBSERIAL PERNUM GQ CLUSTER STRATA
"""
# BRFSS, DHS, UCI
OTHER_SENSITIVE = """
    GENHLTH PHYSHLTH MENTHLTH POORHLTH HLTHPLN1 MEDCOST CHECKUP1 BPHIGH4 BPHIGH6 BPMEDS CHOLCHK TOLDHI2 TOLDHI3
    CVDINFR4 CVDCRHD4 CVDSTRK3 ASTHMA3 ASTHNOW CHCSCNCR CHCOCNCR CHCCOPD1 CHCCOPD2 CHCCOPD3 HAVARTH3 HAVARTH4
    HAVARTH5 ADDEPEV2 ADDEPEV3 CHCKIDNY CHCKDNY1 CHCKDNY2 DIABETE3 DIABETE4 DIABAGE2 DIABAGE3 DEAF BLIND DECIDE
    DIFFWALK DIFFDRES DIFFALON SMOKE100 SMOKDAY2 USENOW3 ALCDAY5 AVEDRNK2 AVEDRNK3 DRNK3GE5 MAXDRNKS FLUSHOT6
    FLUSHOT7 PNEUVAC3 PNEUVAC4 HIVTST6 HIVTST7 HIVRISK4 HIVRISK5 INCOME2 INCOME3 PREGNANT EXERANY2 SLEPTIM1 DALC
    WALC G1 G2 G3 IEP PHQ9 GAD7 AUDIT_C LOS_ICU
"""
OTHER_QUASI = """
    EDUCA VETERAN3 EMPLOY1 RENTHOM1 NUMHHOL2 NUMHHOL3 SEXVAR SEX1 SEX2 HEIGHT3 CTYCODE1 CTYCODE2 MSCODE METSTAT
    URBSTAT NUMADULT V012 V013 V024 V025 V106 V130A V131 V501 HV024 HV025 HV104 HV105 MEDU FEDU MJOB FJOB FAMSIZE
    PSTATUS
"""
OTHER_TECHNICAL = """
    DISPCODE FMONTH IDATE IMONTH IDAY IYEAR SEQNO V005 V021 V022 V023 HV005 HV021 HV022 HV023 MV005 D005 VEH_NO
    PER_NO ST_CASE QSTVER QSTLANG MSCODE_
"""
# EU-SILC: weights, and the number of a household
SILC_TECHNICAL = """
    DB030 HB030 RB040 RX030 PX030 DB090 RB050 RB060 PB040 PB060 RL070
"""
# The number of a household, in each row of its people.
HOUSEHOLDS = """
    SERIALNO SERIAL CBSERIAL DB030 HB030 RB040 RX030 PX030
"""
# NHANES: the letters are the component, then the question
_ASKED = """
    LB UR BPQ DIQ ALQ SXQ DUQ SMQ SMD MCQ DPQ HIQ HUQ KIQ RHQ OSQ PFQ SLQ SLD CDQ DBQ RXQ RXD HEQ HSD HSQ IMQ WHQ
    WHD PAQ PAD DLQ AUQ CFQ DXX OHX IND INQ FSD CBQ VTQ
"""
NHANES = (
    (rf"({'|'.join(_ASKED.split())})[A-Z0-9]*[0-9][A-Z0-9]*", "sensitive"),
    (r"(LBX|LBD|BPX|INDFM|INDHH)[A-Z0-9]+|BMXBMI|BMXWAIST", "sensitive"),
    (r"(RIA|DMD|DMQ)[A-Z0-9]+|RIDAGE[A-Z]+|RIDEXAG[A-Z]|RIDRETH[0-9]?", "quasi"),
    (r"(OCQ|OCD|HOQ|HOD|ACD)[0-9]+|BMXHT|BMXRECUM", "quasi"),
    (r"BMXWT", "sensitive"),
    (r"WT(INT|MEC|SAF|DRD|DR2|PH|SPH|SA|SB)[A-Z0-9]*|SDMV(PSU|STRA)|RIDSTATR|SDDSRVYR|RIDEXMON", "drop"),
)
# The amounts among the quasi-identifiers above.
NUMERIC = """
    AGEP JWMNP WKHP NP NOC NPF NRC RIDAGEYR RIDAGEMN RIDAGEEX DMDHHSIZ DMDFMSIZ BMXHT HEIGHT3 V012 HV105 NUMHHOL2
    NUMADULT UHRSWORK TRANTIME NCHILD FAMSIZE YOEP MARHYP BDSP RMSP RIDEXAGM RIDEXAGY
    DENSITY
"""
_ROLES = {
    **dict.fromkeys([*ACS_SENSITIVE.split(), *OTHER_SENSITIVE.split()], "sensitive"),
    **dict.fromkeys([*ACS_QUASI.split(), *OTHER_QUASI.split()], "quasi"),
    **dict.fromkeys([*ACS_TECHNICAL.split(), *OTHER_TECHNICAL.split(), *SILC_TECHNICAL.split()], "drop"),
}
_REPLICATE = re.compile(r"P?WGTP\d+|REPWTP?\d+|BRR_?\d+|WTREP\d+|JK_?W\w*\d+", re.IGNORECASE)
# An allocation flag of the ACS: F, then the name of another variable, then P
_FLAG = re.compile(r"F([A-Z0-9]{2,})P$")
_WEIGHT = re.compile(
    r"WT(INT|MEC|SAF|DRD|DR2|PH|SPH|SA|SB)[A-Z0-9]*|M?[VD]005|HV005|P?WGTP|DB090|RB0[56]0|PB0[46]0|RL070"
)
LONG_ENOUGH = 4  # characters that a name in small letters must have


def _is_flag(name: str) -> bool:
    """Whether a column says of another one, which the codebook has, how its value came about."""
    flag = _FLAG.match(name)
    return flag is not None and bool({flag[1], f"{flag[1]}P"} & _ROLES.keys())


def _is_made_of_sensitive(name: str) -> bool:
    """Whether a part of the name is something that people hide, as in PINCP_DECILE."""
    parts = re.split(r"[_ .-]", name)
    return any(len(part) >= LONG_ENOUGH and _ROLES.get(part) == "sensitive" for part in parts)


def in_codebook(column: str) -> tuple[str, str] | None:
    """The role that a codebook gives a name, and the name there.

    >>> in_codebook("RAC1P"), in_codebook("PWGTP17"), in_codebook("FAGEP"), in_codebook("LBXTC"), in_codebook("mar")
    (('quasi', 'RAC1P'), ('drop', 'PWGTP17'), ('drop', 'FAGEP'), ('sensitive', 'LBXTC'), None)
    """
    name = column.strip().lstrip("_")
    if name != name.upper() and len(name) < LONG_ENOUGH:
        return None
    name = name.upper()
    if name in _ROLES:
        return _ROLES[name], name
    if _REPLICATE.fullmatch(name) or _is_flag(name):
        return "drop", name
    if column.strip() != column.strip().upper():
        return None
    if _is_made_of_sensitive(name):
        return "sensitive", name
    return next(((role, name) for pattern, role in NHANES if re.fullmatch(pattern, name)), None)


def is_weight(name: str) -> bool:
    """Whether a name of a codebook is a weight, or one of the replicates that variances are estimated with.

    >>> is_weight("PWGTP17"), is_weight("WTMEC2YR"), is_weight("SDMVPSU")
    (True, True, False)
    """
    return bool(_REPLICATE.fullmatch(name) or _WEIGHT.fullmatch(name))


def is_replicate(name: str) -> bool:
    """Whether a name is that of one of the many weights that variances are estimated with.

    >>> is_replicate("pwgtp17"), is_replicate("PWGTP")
    (True, False)
    """
    return bool(_REPLICATE.fullmatch(name))
