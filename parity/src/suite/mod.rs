//! The cases of `cases/`, as code: a plan for each element and each option that changes what a run does. `swell-parity
//! generate` writes them, so that they can be opened in JMeter.

mod answer_corners;
#[expect(clippy::too_many_lines, reason = "lists of cases, each of which stands alone")]
mod assertions;
mod calls;
#[expect(clippy::too_many_lines, reason = "lists of cases, each of which stands alone")]
mod check_corners;
#[expect(clippy::too_many_lines, reason = "lists of cases, each of which stands alone")]
mod conditions;
#[expect(clippy::too_many_lines, reason = "lists of cases, each of which stands alone")]
mod control_corners;
#[expect(clippy::too_many_lines, reason = "lists of cases, each of which stands alone")]
pub(crate) mod controllers;
#[expect(clippy::too_many_lines, reason = "lists of cases, each of which stands alone")]
mod data;
#[expect(clippy::too_many_lines, reason = "lists of cases, each of which stands alone")]
mod data_corners;
mod draft;
mod embedded;
#[expect(clippy::too_many_lines, reason = "lists of cases, each of which stands alone")]
pub(crate) mod extractors;
#[expect(clippy::too_many_lines, reason = "lists of cases, each of which stands alone")]
mod flow;
mod functions;
mod fuzzed;
#[expect(clippy::too_many_lines, reason = "lists of cases, each of which stands alone")]
mod groups;
pub(crate) mod http;
#[expect(clippy::too_many_lines, reason = "lists of cases, each of which stands alone")]
pub(crate) mod http_corners;
#[expect(clippy::too_many_lines, reason = "lists of cases, each of which stands alone")]
pub(crate) mod http_state;
mod java;
#[expect(clippy::too_many_lines, reason = "lists of cases, each of which stands alone")]
mod journeys;
#[expect(clippy::too_many_lines, reason = "lists of cases, each of which stands alone")]
mod markup;
mod modifiers;
mod old_forms;
pub(crate) mod parts;
#[expect(clippy::too_many_lines, reason = "lists of cases, each of which stands alone")]
mod plugin_groups;
mod plugin_parallel;
mod plugins;
mod reporters;
mod responses;
mod results;
#[expect(clippy::too_many_lines, reason = "lists of cases, each of which stands alone")]
mod samplers;
mod save_flags;
#[expect(clippy::too_many_lines, reason = "lists of cases, each of which stands alone")]
mod scope;
mod script_lines;
mod script_refused;
mod scripts;
mod secure;
#[expect(clippy::too_many_lines, reason = "lists of cases, each of which stands alone")]
mod state_corners;
#[expect(clippy::too_many_lines, reason = "lists of cases, each of which stands alone")]
mod timers;
#[expect(clippy::too_many_lines, reason = "lists of cases, each of which stands alone")]
mod transactions;
mod ways;

use controllers::fragment_file as elsewhere_fragment;
pub use draft::Draft;

/// Every case.
pub fn drafts() -> Vec<Draft> {
    [
        groups::drafts(),
        plugin_groups::drafts(),
        plugin_parallel::drafts(),
        controllers::drafts(),
        conditions::drafts(),
        transactions::drafts(),
        flow::drafts(),
        calls::drafts(),
        timers::drafts(),
        script_lines::drafts(),
        scripts::drafts(),
        script_refused::drafts(),
        scope::drafts(),
        data::drafts(),
        http::drafts(),
        http_state::drafts(),
        embedded::drafts(),
        modifiers::drafts(),
        ways::drafts(),
        assertions::drafts(),
        extractors::drafts(),
        markup::drafts(),
        functions::drafts(),
        results::drafts(),
        reporters::drafts(),
        responses::drafts(),
        samplers::drafts(),
        save_flags::drafts(),
        secure::drafts(),
        java::drafts(),
        plugins::drafts(),
        journeys::drafts(),
        http_corners::drafts(),
        state_corners::drafts(),
        control_corners::drafts(),
        check_corners::drafts(),
        data_corners::drafts(),
        answer_corners::drafts(),
        old_forms::drafts(),
        fuzzed::drafts(),
    ]
    .concat()
}

/// The file that the case of the Include Controller includes.
pub fn fragment() -> Draft {
    elsewhere_fragment()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Rules;

    #[test]
    fn the_files_in_cases_are_those_that_the_code_makes() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
        for draft in drafts() {
            let file = folder.join(draft.file_name());
            let written = std::fs::read_to_string(&file).unwrap_or_default();
            assert!(written == draft.jmx(), "{}: run `swell-parity generate`", file.display());
        }
        let included = std::fs::read_to_string(folder.join("data/fragment.jmx")).unwrap_or_default();
        assert!(included == fragment().jmx(), "data/fragment.jmx: run `swell-parity generate`");
    }

    #[test]
    fn names_are_unique_and_rules_are_understood() {
        let drafts = drafts();
        let mut names: Vec<String> = drafts.iter().map(Draft::file_name).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
        for draft in &drafts {
            assert!(Rules::parse(&draft.comment()).is_ok(), "{}", draft.file_name());
        }
    }
}
