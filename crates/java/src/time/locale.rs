//! Languages of dates, with the names of Java 17 (CLDR 39).

/// The language of a pattern's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Locale {
    pub(super) names: &'static LocaleNames,
}

/// Names in order: months from January, days from Sunday, eras from the older one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LocaleNames {
    language: &'static str,
    pub(super) months: [&'static str; 12],
    pub(super) short_months: [&'static str; 12],
    pub(super) days: [&'static str; 7],
    pub(super) short_days: [&'static str; 7],
    pub(super) halves: [&'static str; 2],
    pub(super) eras: [&'static str; 2],
}

impl Locale {
    /// English, the language of patterns that name none.
    pub const ENGLISH: Self = Self { names: &ENGLISH };

    /// The locale of a name such as `fr` or `fr_FR`, by its language.
    pub fn of(name: &str) -> Option<Self> {
        let language = name.split(['_', '-']).next().unwrap_or(name);
        let known = [&ENGLISH, &DUTCH, &FRENCH, &GERMAN, &ITALIAN, &PORTUGUESE, &SPANISH];
        let names = known.into_iter().find(|names| names.language.eq_ignore_ascii_case(language))?;
        Some(Self { names })
    }
}

static ENGLISH: LocaleNames = LocaleNames {
    language: "en",
    months: [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    short_months: ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
    days: ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"],
    short_days: ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"],
    halves: ["AM", "PM"],
    eras: ["BC", "AD"],
};

static DUTCH: LocaleNames = LocaleNames {
    language: "nl",
    months: [
        "januari",
        "februari",
        "maart",
        "april",
        "mei",
        "juni",
        "juli",
        "augustus",
        "september",
        "oktober",
        "november",
        "december",
    ],
    short_months: [
        "jan.", "feb.", "mrt.", "apr.", "mei", "jun.", "jul.", "aug.", "sep.", "okt.", "nov.", "dec.",
    ],
    days: ["zondag", "maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag"],
    short_days: ["zo", "ma", "di", "wo", "do", "vr", "za"],
    halves: ["a.m.", "p.m."],
    eras: ["v. Chr.", "n. Chr."],
};

static FRENCH: LocaleNames = LocaleNames {
    language: "fr",
    months: [
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ],
    short_months: [
        "janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc.",
    ],
    days: ["dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"],
    short_days: ["dim.", "lun.", "mar.", "mer.", "jeu.", "ven.", "sam."],
    halves: ["AM", "PM"],
    eras: ["BC", "ap. J.-C."],
};

static GERMAN: LocaleNames = LocaleNames {
    language: "de",
    months: [
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ],
    short_months: [
        "Jan.", "Feb.", "März", "Apr.", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.", "Dez.",
    ],
    days: ["Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"],
    short_days: ["So.", "Mo.", "Di.", "Mi.", "Do.", "Fr.", "Sa."],
    halves: ["AM", "PM"],
    eras: ["v. Chr.", "n. Chr."],
};

static ITALIAN: LocaleNames = LocaleNames {
    language: "it",
    months: [
        "gennaio",
        "febbraio",
        "marzo",
        "aprile",
        "maggio",
        "giugno",
        "luglio",
        "agosto",
        "settembre",
        "ottobre",
        "novembre",
        "dicembre",
    ],
    short_months: ["gen", "feb", "mar", "apr", "mag", "giu", "lug", "ago", "set", "ott", "nov", "dic"],
    days: ["domenica", "lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato"],
    short_days: ["dom", "lun", "mar", "mer", "gio", "ven", "sab"],
    halves: ["AM", "PM"],
    eras: ["BC", "dopo Cristo"],
};

static PORTUGUESE: LocaleNames = LocaleNames {
    language: "pt",
    months: [
        "janeiro",
        "fevereiro",
        "março",
        "abril",
        "maio",
        "junho",
        "julho",
        "agosto",
        "setembro",
        "outubro",
        "novembro",
        "dezembro",
    ],
    short_months: [
        "jan.", "fev.", "mar.", "abr.", "mai.", "jun.", "jul.", "ago.", "set.", "out.", "nov.", "dez.",
    ],
    days: [
        "domingo",
        "segunda-feira",
        "terça-feira",
        "quarta-feira",
        "quinta-feira",
        "sexta-feira",
        "sábado",
    ],
    short_days: ["dom.", "seg.", "ter.", "qua.", "qui.", "sex.", "sáb."],
    halves: ["AM", "PM"],
    eras: ["a.C.", "d.C."],
};

static SPANISH: LocaleNames = LocaleNames {
    language: "es",
    months: [
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ],
    short_months: ["ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sept", "oct", "nov", "dic"],
    days: ["domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"],
    short_days: ["dom", "lun", "mar", "mié", "jue", "vie", "sáb"],
    halves: ["a. m.", "p. m."],
    eras: ["antes de Cristo", "anno Dómini"],
};
