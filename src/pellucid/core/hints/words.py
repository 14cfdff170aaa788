"""Words in the names of columns, in English and a few other languages.

Words are matched whole. A word with a star at its end matches every word that begins with it; one with a tilde before
it matches every word that contains it, for codebooks that write ``PHYSHLTH``. Accents are left out.
"""

from __future__ import annotations

# What people hide: health, money, opinions, sexuality, crime, judgements about a person.
SENSITIVE = """
    disease* diag attendance backlog* accident* ~result ~glinide ~tolamide ~butamide ~propamide ~hexamide acarbose
    miglitol diagnos* ~diagnos dx icd* snomed illness* disorder* symptom* syndrom* condition
    conditions comorbid* hiv aids std sti hepatit* tubercul* covid* sars flu influenza infect* cancer* ~cancer cncr
    tumor* tumour* oncolog* melanom* leukem* lymphom* diabet* ~diab insulin* metformin* ~formin ~gliptin ~glitazone
    ~gliptizide glyburide glipizide glimepiride ~ulfonylurea statin* asthma* ~asthm copd arthrit* ~arth4 ~arthr
    stroke* strk cvd* cardio* heart* chd angina infarct* hypertens* bp bpx* blood* systol* diastol* pressure pulse
    ~chol chol cholest* hdl ldl triglycer* lipid* glucose glu gluc glyc* hba hba1c a1c ~a1c creatin* hemoglob*
    haemoglob* platelet* wbc rbc urin* serum plasma biomark* lab labs testoster* estrog* hormone* thyroid* tsh psa
    antibod* antigen* titer allerg* vaccin* immuni* bmi ~bmi obes* overweight waist depress* ~depr anxi* bipolar*
    schizo* psych* mental* ~menth suicid* selfharm phq gad stress* mood adhd autis* dement* alzheim* cognit* neuro*
    epilep* migrain* pain chest sleep* ~hlth health* ~health sick* disab* ~disab handicap* impair* injur* trauma*
    wound* fractur* surger* surgic* operation* procedure* treat* therap* medic* ~medic med meds drug* ~drug prescri*
    dose dosage opioid* cocaine heroin* marij* ~marij cannabis thc alcohol* alc alcday* drink* drunk* binge smok*
    ~smok tobac* cigar* vape vaping nicotin* addict* substanc* rehab* pregnan* ~pregn birthweight abort* miscarr*
    contracep* fertil* menstr* menopaus* gravid* parity sexual* sexuality ~orient orientation partn partners
    partnlife samesex gay lesbian lgbt* trans transgender hetero* homo* genet* genotyp* ~genotype gene genes genom*
    mutat* allele* brca* apoe snp* variant carrier stage grade* metasta* surviv* mortal* death* died deceased fatal*
    recover* readmi* hospital* icu emergenc* ambulanc* inpatient* outpatient* clinic* ward triage wellbeing frail*
    fall falls care caregiv* hospice palliat* prognos* remission relaps* severity sever* reaction* adverse test
    tests tst tested testing result results positive outcome* target exam examin* income* ~income ~incom salar*
    wage* wages pay pays payroll paid earning* earn earns earned revenue* compensat* bonus* hike raise stock* debt*
    credit* ~credit loan* mortgag* balance* saving* deposit* wealth* asset* networth expens* spend* spent bill bills
    charge charges charged claim* benefit* welfare pension* allowance* stipend* tax taxes taxable poverty poor
    bankrupt* default defaulted delinq* overdue arrears foreclos* capital gain gains loss losses invest* dividend*
    price cost costs amount* budget afford* financ* fico score* scor rating* rated rank ranking perform* apprais*
    evaluat* satisf* engagement attrition churn* turnover absen* leave terminat* dismiss* fired resign* layoff
    disciplin* warning warnings complain* griev* misconduct union salary gpa sat marks mark exam* fail* pass passed
    dropout* suspen* expel* expul* detention iep lunch tutoring behavi* truan* relig* ~relig faith belief* church*
    mosque* worship* pray* party vote* voted voter* voting ballot* politic* partisan* ideolog* opinion* attitud*
    trust* approv* conservativ* liberal* democrat* republican* crime* criminal* offen* convict* arrest* sentenc*
    prison* jail* incarcer* parole* probation* felon* misdem* recid* prior priors fel misd violen* abus* assault*
    victim* contraband* weapon* gun guns police citation* dui dwi custody foster* neglect homeless* shelter evict*
    romantic dating intercourse virgin* orgasm* intimat* affair immigr* undocument* asylum* refugee* visa stamp
    stamps foodstamp* snap tanf medicaid ssi lonel* happi* life secret* confiden* sensitiv* krank* befund* erkrank*
    medikament* ~einkommen gehalt* ~gehalt entgelt* besoldung* ~vergutung ~zulage ~behinder ~beurteil abmahn* fehltag*
    fehlzeit* lohn lohne ~lohn tolaz* schuld* glaube* konfession* blut* behinder* schwanger* sucht* rauch*
    straf* steuer* vermogen* noten zeugnis* impf* allergi* gesundheit* depression* diagnose* therapie* verdienst*
    kredit* partei* maladie* traitement* salaire* revenu* grossess* tabac* alcool* sante* dette* impot* casier
    religieu* medicament* remunerat* enfermedad* diagnostic* tratamiento* ingreso* sueldo* salario* discapac*
    embaraz* tabaco* salud* deuda* delito* vacuna* religion* renta doenca* renda* gestante* saude* divida*
    deficienc* salarial* rendiment* tratament* vacin* malattia* stipendio* reddito* salute gravidan* debito* farmac*
    disabil* terapia* fumo fumatore* patolog* inkomen* ziekte* zwanger* salaris* loon gezondheid* roken choroba*
    dochod* inkomst* sjukdom* lon helse sykdom* expend* outgo* repay* emi fee fees fine fines premium* subsid*
    scholarship* donat* purchas* regimen* viral* virus* breastfeed* lactat* histor* risk* reason* vital vitals
    temperature fever oxygen spo2 o2 respirat* breath* sodium potassium calcium albumin bilirubin ast alp ferritin
    crp esr inr egfr uric urea bun troponin cortisol vitamin* cd4 cd8 ratio biops* patholog* histolog* radiolog*
    scan* mri xray ultrasound lesion* nodule* metastat* chemo* radiat* transplant* dialys* implant* amput* paralys*
    deaf* blind* hearing vision visual speech mobility fatigue nausea vomit* cough* headache* dizz* seizure* insomn*
    appetite diet nutrition* malnutr* anemi* anaemi* sickle malaria* dengue cholera measles polio zika syphil*
    gonorr* chlamyd* herpes hpv condom* prep art arv antiretro* antidepress* antibio* inhaler* analges* overdos*
    withdraw* detox gambl* bully* harass* discrimin* rape trafficking victimiz* insolv* lien* garnish* payday
    collateral liabilit* equity portfolio* holdings revenue profit* commission* payout* settlement* grades cgpa
    percentile* decile* quintile* quartile* iq aptitude* assess* proficien* remedial aggress* impuls* anger esteem
    temperament fear worry* worried regret* grief attitude* agree* oppose* favor* favour* prayer* hijab* fasting
    zakat tithe ration* disabled infirm* terminal* prognost* efficacy toxic* sideeffect* response* remiss* recurr*
    parasit* bacter* fung* sepsis septic shock embol* thromb* clot* aneurysm* arrhythm* fibrill* murmur ecg ekg
    ejection qt birthcontrol* nervous* nerves
"""
# What harms most when it is known, the first before the others; then what people suffer from, then money.
MOST_PRIVATE = (
    "drugs ~drugs illicit* cocaine heroin* marij* ~marij cannabis opioid* addict* substanc*",
    "samesex orientation ~orient gay lesbian lgbt* sexual sexuality homo*",
    "depress* ~depr suicid* selfharm psych* schizo* bipolar* nervous*",
    "hiv aids hepatit* sti std syphil* abort* convict* rape abus*",
)
MONEY = "income* ~income ~incom salar* wage* earning* ~einkommen gehalt* revenu* debt* wealth*"
# Answers by which nothing is told of a person, and those by which something is.
HARMLESS = "no none never false n 0 negative neg non nein heterosexual straight"
TELLING = "yes true y 1 positive pos ja oui si"
# What people suffer from; the first letters of a word are enough.
ILLNESS = """
    diag disease icd illness injur krank maladie enfermedad doenca malattia diabet depress cancer hiv health
"""
# What others know or can see, by what it is; the earlier, the better it is known. "number": an order that counts.
QUASI = {
    "age": """
    age ages agep ageyr agey agegroup alter edad idade eta leeftijd alder wiek
""",
    "birth": """
        birth* born dob yob bday birthday birthdate byear geburt* geboren naissance naiss nacimiento nacim
        nascimento nascita geboorte* fodt
    """,
    "sex": """
    sex gender sexe sexo sesso geschlecht* genre genero geslacht kon plec male female
""",
    "place": """
        zip zipcode* zcta postal* postcode* postleitzahl plz cp cep cap city cities town towns village stadt ville
        ciudad cidade citta plaats region* county counties fips puma district* province* provinc* state states
        country* countries land pays pais paese nation commune* comune* municip* gemeinde* kreis bundesland
        departement* canton* kommune parish* borough suburb* neighborhood* neighbourhood* tract block latitude
        longitude lat lon lng long geo geocode* wohnort* residence* resid* domicil* rural urban urbanicity metro
        metropolitan msa cbsa location* place division* area address* street* strasse rue calle via distance*
        governorate* prefecture* oblast* taluk* tehsil* mandal* barangay* locality localities pin pincode* hometown*
        postalcode* ~address ~zip ~postcode
    """,
    "race": """
        race* racial ethnic* ethnos hispanic* hisp latino* latina origin raca cor etnia etnic* ethnie ancestry tribe
        caste indigen* aboriginal*
    """,
    "marital": """
        marital* marst married spouse* civil relationship* relation civile familienstand* partner wed divorced
        widow* matrimon* cohabit*
    """,
    "education": """
        educ educa education* edu medu fedu degree* school* schooling schule* schulabschluss* bildung* diplom*
        diploma etudes estudios studio escolar* escolaridad* literacy literate college* university* universit*
        graduat* qualification* opleiding* enroll* enrol* major
    """,
    "work": """
        occupation* occup* occp profession* prof job* jobs beruf* employ* work worker working works workclass
        employer* ocupacion* oficio* ocupacao professione* lavoro beroep industry* industr* naics isco isic soc
        abteilung* eintritt* einstell* beschaftigungs*
        department* dept position role title tenure seniority experience senior hire hired commut* hours hour
        veteran* military army telework mjob fjob company* unemployed retired student designation* fulltime parttime
        shift contract* supervisor*
    """,
    "nation": """
        national* nationality nacionalid* cittadin* citizen* staatsang* staatsb* foreign* native nativity
        birthplace* language* lang languages sprache* langue* idioma* lingua* english mothertongue
    """,
    "family": """
        household* hh family fam famsize famil* children child kids dependent* dependant* siblings babies guardian*
        guardians parent parents mother father size haushalt* kinder menage enfants hijos filhos figli members
    """,
    "body": """
    height* hgt stature hair* taille groesse altura altezza estatura
""",
    "home": """
    housing dwelling* home homes house houses ownership owner own tenant* rent renter* rooms bedrooms car cars
""",
    "event": """
        admission* admit* admitted discharge* visit* los stay arrival* insur* payer* payor kasse krankenkasse
        mutuelle seguro assicuraz* regist* registration*
    """,
    "time": """
        date* datum fecha year* month* day
    """,
}
# These are an amount of years, persons or hours; the others are names of things even where they are written as numbers.
NUMBERS = """
    age ages agep ageyr agey alter edad idade eta leeftijd alder wiek yob byear latitude longitude lat lon lng
    distance hours hour tenure seniority experience children child kids dependents dependants siblings babies size
    household members height hgt stature taille groesse altura altezza estatura los stay rooms bedrooms kinder
    enfants hijos filhos figli years year commut
"""
# Names a person or a thing that belongs to one.
IDENTIFIER = """
    name* vorname nachname firstname lastname surname forename fullname nom prenom nombre apellido* nome cognome
    sobrenome achternaam voornaam ssn nhs mrn nin dni nie nif cpf bsn avs ahv nir siren passport* account* iban bic
    email* mail phone* mobile* telefon* tel fax imei imsi msisdn plate patient* customer* client* member* user*
    username login handle ip ipaddress mac url website serialno serial serialnumber seqn caseid respid responseid id
    ids uid uuid guid key number nummer numero no nr nbr row index record case matricule* badge versichertennummer*
    versicherungsnummer* fiscale secu token hash cookie device policy
"""
# These number rows or things as often as people, so a column with such a name identifies only if it never repeats.
NUMBERING = """
    id ids uid uuid guid key number nummer numero no nr nbr row index record case serial serialno token hash policy
    device
"""
# About the survey and not about the people in it.
TECHNICAL = """
    psu ssu stratum strata ststr sdmvpsu sdmvstra cluster* segment enumerat* interview* dispcode replicate* repwt*
    rep adjinc adjhsg version wave batch file filename timestamp created updated modified inserted etl checksum
    imputed imputation alloc* survey surveyyr idate imonth fmonth sort seq sequence spare filler unused dummy
    constant
"""
WEIGHTING = """
    wt wgt wght wgtp pwgtp pwgt perwt hhwt wtfinl asecwt fnlwgt finalwt finalwgt finwt finalweight llcpwt wtint
    wtmec wtsaf weight weights weighting weightings gewichtung* hochrechnung* gewicht poids peso ponder* pondera*
    pesos expansion wtper wts ausgleichsgewicht* samplingweight sampleweight weging* weegfactor* wtss*
"""
# Written before a word for a weight, without a blank: hhweight, pspwght.
OF_WEIGHTS = """
    hh hhs h d p f a i s r n an ps psp nr per pers person ind indiv pop base fin final samp sample survey design case
    cal calib norm trim raking post cross long panel house household fstu sen
"""
# Beside such a word a weight is a body's; beside one of the others it is a survey's.
BODY = """
    kg kgs lb lbs pound pounds gram grams g birth body bmx cm current usual ideal patient
"""
SURVEY = """
    final sample sampling survey sondage campionario campionaria muestral expansion design post rep replicate
    population person household base norm normalized scaled trimmed cross long panel factor pop hh nr calibrated
    calibration calib raking raked nonresponse analysis menage haushalt* famiglia hogar domicilio huishoud*
"""
# Homes in which several people of a table may live: with a number, or by many values, a column says who lives together.
HOMES = """
    household* hh family fam dwelling* home house address* haushalt* menage hogar domicilio famiglia familia huishoud*
    couple
"""
# The same in one word.
HOME_NUMBERS = """
    hhid hid hidp hhidpn hrhhid idhh idh hhno hhnr hhnum hhnumber hhkey hhcode hhserial householdid householdno
    householdnumber householdkey famid idfam familyid idhog idhogar foliohog folioviv idmenage haushaltsnummer
    haushaltsnr haushaltsid haushaltid huishoudnummer
"""
FREE_TEXT = """
    comment* remark* note notes bemerk* anmerk* commentaire* coment* observa* opmerk* text narrative* description*
    descr freetext verbatim explain* transcript* message* letter*
"""
# Say nothing by themselves; a name of a known word and such words is understood.
NEUTRAL = """
    of the source at in by per and or to for from on with is was has a an code codes cd coded recode recoded desc
    label labels text value values var cat category categories categ group groups grp grouped band bands class
    classes level levels lvl status current currently present self own total tot all main primary first second third
    new old range bracket brackets decade years year yrs yr anni annees anos jahre jahren jaar type kind general
    local ever number num no n nr count cnt amount full short long name official p subject person persons people
    patient patients respondent participant individual employee worker student driver customer client child mother
    father parent spouse head member staff resident applicant household hh family fam home work de da do des du del
    della di la le el les los en et y e der die das im von und van het my your last time week weekly day days month
    monthly annual annually usual usually normal highest lowest completed attained approx approximate estimated est
    avg mean min max high low start end begin size nivel niveau livello titulo titolo codigo codice data date datum
    fecha mensuel mensual residencia residenza residence country state city town area region legal born birth origin
    identity only cm ft feet inches m mid top bottom broad detailed detail simple clean cleaned raw std standard
    original orig derived calc calculated final cut bin bins binned between since company native english other
    others any consumer buyer subscriber beneficiary rider passenger user occupant tenant recipient holder insured
    cust pt pat emp stu resp subj ind demo demographic demographics info
"""
