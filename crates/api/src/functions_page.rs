//! The functions as the page `docs/reference/functions.md`.

use std::fmt::Write;

use swell_expr::FunctionInfo;

const HEAD: &str = "\
# Functions

Every function that a plan can call as `${__name(arguments)}`: those of JMeter 5.6.3, then those of common plug-ins. `swell check PLAN`
shows the same for the calls in a plan. This page is made from the table in `crates/expr/src/functions`; after a change there write it with
`UPDATE_REFERENCE=1 cargo test -p swell-run --test reference`.

An argument called `variable` names a variable in which the result is kept, too. A comma in an argument is written `\\,`. What a call counts
or how far it has read belongs to the property in which it stands, for all samplers and thread groups that the element works on. A name
that is not here is taken for a variable, with a warning; a call with another number of arguments than the table allows is refused, as in
JMeter. Scripts run as far as they are understood; `docs/differences.md` tells how far that is.

| function | arguments | (arguments): result |
|---|--:|---|
";

/// The page.
pub fn functions_page() -> String {
    let mut page = HEAD.to_owned();
    for function in swell_expr::functions() {
        let (name, doc) = (function.name, function.doc.replace('|', "\\|"));
        let scripts = if function.native { "" } else { "; as far as the script is understood" };
        writeln!(page, "| `{name}` | {} | {doc}{scripts} |", arguments(&function))
            .expect("writing to a string cannot fail");
    }
    page
}

fn arguments(function: &FunctionInfo) -> String {
    match (function.min_arguments, function.max_arguments) {
        (least, Some(most)) if least == most => least.to_string(),
        (least, Some(most)) => format!("{least} to {most}"),
        (least, None) => format!("{least} or more"),
    }
}
