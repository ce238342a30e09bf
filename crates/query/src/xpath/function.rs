//! The names of functions and their numbers of arguments.

use super::XPathError;

/// A function by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Function(&'static Signature);

#[derive(Debug, PartialEq, Eq)]
struct Signature {
    name: &'static str,
    /// The class that Xalan names in its complaints.
    class: &'static str,
    min: usize,
    max: usize,
}

const ANY: usize = usize::MAX;

const fn entry(name: &'static str, class: &'static str, (min, max): (usize, usize)) -> Signature {
    Signature { name, class, min, max }
}

static TABLE: &[Signature] = &[
    entry("last", "FuncLast", (0, 0)),
    entry("position", "FuncPosition", (0, 0)),
    entry("count", "FuncCount", (1, 1)),
    entry("id", "FuncId", (1, 1)),
    entry("local-name", "FuncLocalPart", (0, 1)),
    entry("namespace-uri", "FuncNamespace", (0, 1)),
    entry("name", "FuncQname", (0, 1)),
    entry("generate-id", "FuncGenerateId", (0, 1)),
    entry("not", "FuncNot", (1, 1)),
    entry("true", "FuncTrue", (0, 0)),
    entry("false", "FuncFalse", (0, 0)),
    entry("boolean", "FuncBoolean", (1, 1)),
    entry("number", "FuncNumber", (0, 1)),
    entry("floor", "FuncFloor", (1, 1)),
    entry("ceiling", "FuncCeiling", (1, 1)),
    entry("round", "FuncRound", (1, 1)),
    entry("sum", "FuncSum", (1, 1)),
    entry("string", "FuncString", (0, 1)),
    entry("starts-with", "FuncStartsWith", (2, 2)),
    entry("contains", "FuncContains", (2, 2)),
    entry("substring-before", "FuncSubstringBefore", (2, 2)),
    entry("substring-after", "FuncSubstringAfter", (2, 2)),
    entry("normalize-space", "FuncNormalizeSpace", (0, 1)),
    entry("translate", "FuncTranslate", (3, 3)),
    entry("concat", "FuncConcat", (2, ANY)),
    entry("substring", "FuncSubstring", (2, 3)),
    entry("string-length", "FuncStringLength", (0, 1)),
    entry("lang", "FuncLang", (1, 1)),
    entry("system-property", "FuncSystemProperty", (1, 1)),
    entry("unparsed-entity-uri", "FuncUnparsedEntityURI", (1, 1)),
    entry("current", "FuncCurrent", (0, 0)),
    entry("function-available", "FuncExtFunctionAvailable", (1, 1)),
    entry("element-available", "FuncExtElementAvailable", (1, 1)),
];

impl Function {
    pub(super) fn name(self) -> &'static str {
        self.0.name
    }

    pub(super) fn find(name: &str) -> Option<Self> {
        TABLE.iter().find(|entry| entry.name == name).map(Self)
    }

    pub(super) fn check_count(self, count: usize) -> Result<(), XPathError> {
        let Signature { class, min, max, .. } = self.0;
        if (*min..=*max).contains(&count) {
            return Ok(());
        }
        let allowed = match (*min, *max) {
            (_, ANY) => ">1".to_owned(),
            (min, max) if min == max => min.to_string(),
            (min, max) => format!("{min} or {max}"),
        };
        Err(XPathError::new(format!("org.apache.xpath.functions.{class} only allows {allowed} arguments")))
    }

    pub(super) fn gives_number(self) -> bool {
        matches!(
            self.0.name,
            "last"
                | "position"
                | "count"
                | "number"
                | "floor"
                | "ceiling"
                | "round"
                | "sum"
                | "string-length"
        )
    }

    pub(super) fn asks_position(self) -> bool {
        matches!(self.0.name, "last" | "position")
    }
}
