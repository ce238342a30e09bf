//! Generates the page `docs/reference/functions.md`.

use std::fmt::Write;

use swell_expr::FunctionInfo;

const HEAD: &str = "\
# Functions

The functions that a plan can call as `${__name(arguments)}`: those of JMeter 5.6.3, then those of common plug-ins. `swell check PLAN`
checks the calls of a plan. This page is generated from the list in `crates/expr/src/function_list.rs`. To update it:
`UPDATE_REFERENCE=1 cargo test -p swell-run --test run reference`.

An argument called `variable` names a variable that also receives the result. A comma in an argument is written `\\,`. The state of a
call, such as a counter or a position in a file, belongs to the property that contains the call, and all samplers and thread groups in
the element's scope share it. An unknown name is read as a variable, with a warning; a call with a wrong number of arguments is
refused, as in JMeter. Scripts run natively where they are supported; see `docs/differences.md`.

| function | arguments | (arguments): result |
|---|--:|---|
";

/// The page.
pub fn functions_page() -> String {
    let mut page = HEAD.to_owned();
    for function in swell_expr::functions() {
        let name = function.name;
        let doc = function.doc.replace('|', "\\|");
        let scripts = if function.native { "" } else { "; native if the script is supported" };
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
