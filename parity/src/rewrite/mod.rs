//! Makes any plan harmless and small: every host becomes the recorder, load and waits shrink, and
//! missing files are generated. Both programs get the same rewritten plan, so the comparison is
//! valid.

mod files;
mod groups;
mod load;
mod origin;
mod process;
mod shrink;
mod skip;

use std::path::{Path, PathBuf};

use swell_plan::{Element, Node, Plan, Property, PropertyValue};

use crate::capture::Observation;
use crate::case::{Case, Order, Rules};
use crate::recorder::Recorder;
use crate::runner::Tool;

/// A plan that can be run against a recorder, or the reason why not.
#[derive(Clone, Debug)]
pub struct Rewritten {
    /// Why it is skipped: an element that cannot be compared.
    pub skip: Option<String>,
    /// Whether it runs scripts, which are harmless only if Swell understands them.
    pub has_scripts: bool,
    /// Rules for its comparison.
    pub rules: Rules,
    plan: Plan,
    folder: PathBuf,
}

/// Rewrites any plan.
pub fn rewrite(case: &Case) -> Rewritten {
    let folder = case.file.parent().unwrap_or(Path::new("")).to_owned();
    let mut plan = case.plan.clone();
    skip::prune(&mut plan);
    let mut rules =
        Rules { shape_only: skip::is_unsteady(&plan), traces_in_sums: true, ..case.rules.clone() };
    if skip::holds(&plan, "DebugSampler") {
        // It shows times and JMeter's internal variables.
        rules.masked.push("bytes".to_owned());
    }
    if skip::sends_parts(&plan) {
        // Boundaries have a random length.
        rules.masked.push("sentBytes".to_owned());
    }
    let mut has_scripts = false;
    skip::visit_enabled(&plan.root, &mut |node| {
        has_scripts |= skip::is_script(&node.element.class);
        if groups::is_timed(&node.element.class) {
            // The number of users at the end of a sample depends on milliseconds.
            rules.order = Order::Thread;
            rules.masked.extend(["grpThreads", "allThreads"].map(str::to_owned));
        }
        if process::is_unsteady(&node.element) {
            rules.bodies_masked = true;
            rules.masked.push("bytes".to_owned());
        }
    });
    if skip::holds(&plan, "com.blazemeter.jmeter.controller.ParallelSampler") {
        rules.order = Order::None;
    }
    Rewritten { skip: skip::reason(&plan), has_scripts, rules, plan, folder }
}

impl Rewritten {
    /// Runs it and returns the text to compare.
    ///
    /// # Errors
    /// The run failed or left no output.
    pub fn render(&self, tool: &Tool) -> Result<String, String> {
        self.observe(tool).map(|seen| seen.render(&self.rules))
    }

    /// Runs it and returns its output.
    ///
    /// # Errors
    /// The run failed or left no output.
    pub fn observe(&self, tool: &Tool) -> Result<Observation, String> {
        tool.capture(&|recorder, folder| self.prepare(recorder, folder), &self.rules, None)
    }

    /// Returns the plan for a recorder. Missing files are written to `data` below `run_folder`.
    fn prepare(&self, recorder: &Recorder, run_folder: &Path) -> Plan {
        let mut plan = self.plan.clone();
        let end = origin::default_end(&plan);
        let mut files = files::Files::new(&self.folder, run_folder);
        change(&mut plan.root, &mut |node| {
            let element = &mut node.element;
            // Without a port, the samplers fail in both programs.
            drop(origin::redirect_raw(element, recorder, end.as_deref()));
            origin::redirect(element, recorder.port());
            if ["Arguments", "TestPlan"].contains(&element.class.as_str()) {
                texts(element, &mut |name, text| {
                    if name == "Argument.value" {
                        origin::redirect_value(text);
                    }
                });
            }
            load::shrink(element);
            keep_quiet(element);
            process::tame(element, &run_folder.to_string_lossy());
            files.provide(element);
        });
        // Last, because it adds a pause that must not shrink.
        change(&mut plan.root, &mut groups::shrink);
        // Run one group after the other, so that the order can be compared.
        plan.root.element.set_text("TestPlan.serialize_threadgroups", "true");
        plan.beside.clear();
        plan
    }
}

fn change(node: &mut Node, edit: &mut dyn FnMut(&mut Node)) {
    edit(node);
    for child in &mut node.children {
        change(child, edit);
    }
}

/// Silences listeners that write files or send data.
fn keep_quiet(element: &mut Element) {
    match element.class.as_str() {
        // Java's system properties depend on the machine.
        "DebugSampler" | "DebugPostProcessor" => element.set_text("displaySystemProperties", "false"),
        "ResultCollector" | "ResultSaver" | "HTMLAssertion" => {
            for name in ["filename", "FileSaver.filename", "html_assertion_filename"] {
                if element.property(name).is_some() {
                    element.set_text(name, "");
                }
            }
        }
        "BackendListener" | "MailerResultCollector" | "Summariser" => {
            element.set_attribute("enabled", "false");
        }
        _ => {}
    }
}

/// Edits every text in the properties of an element, including nested ones.
fn texts(element: &mut Element, edit: &mut dyn FnMut(&str, &mut String)) {
    for property in &mut element.properties {
        texts_of(property, edit);
    }
}

fn texts_of(property: &mut Property, edit: &mut dyn FnMut(&str, &mut String)) {
    match &mut property.value {
        PropertyValue::Text(text) => {
            let old = text.clone();
            edit(&property.name, text);
            if *text != old {
                property.written = None;
            }
        }
        PropertyValue::Element(element) => texts(element, edit),
        PropertyValue::Collection(members) | PropertyValue::Map(members) => {
            for member in members {
                texts_of(member, edit);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_plan::read;

    fn case(body: &str) -> Case {
        let text = format!(
            "<jmeterTestPlan version=\"1.2\"><hashTree><TestPlan guiclass=\"TestPlanGui\" testname=\"T\"/><hashTree>{body}\
             </hashTree></hashTree></jmeterTestPlan>"
        );
        let plan = read(text.as_bytes(), None).plan.unwrap();
        Case { name: "t".to_owned(), file: PathBuf::from("/nowhere/t.jmx"), rules: Rules::default(), plan }
    }

    #[test]
    fn hosts_load_and_files_are_replaced() {
        let case = case(
            "<ThreadGroup guiclass=\"ThreadGroupGui\" testname=\"G\">\
             <stringProp name=\"ThreadGroup.num_threads\">500</stringProp></ThreadGroup><hashTree>\
             <CSVDataSet guiclass=\"TestBeanGUI\" testname=\"C\"><stringProp name=\"filename\">C:\\x\\u.csv</stringProp>\
             <stringProp name=\"variableNames\">a,b</stringProp><stringProp name=\"delimiter\">;</stringProp>\
             </CSVDataSet><hashTree/>\
             <ResultCollector guiclass=\"SimpleDataWriter\" testname=\"R\"><stringProp name=\"filename\">/tmp/x</stringProp>\
             </ResultCollector><hashTree/>\
             <HTTPSamplerProxy guiclass=\"HttpTestSampleGui\" testname=\"S\">\
             <stringProp name=\"HTTPSampler.domain\">example.com</stringProp></HTTPSamplerProxy><hashTree/>\
             </hashTree>",
        );
        let run = tempfile::tempdir().unwrap();
        let rewritten = rewrite(&case);
        assert_eq!(rewritten.skip, None);
        let recorder = Recorder::start().unwrap();
        let plan = rewritten.prepare(&recorder, run.path());
        let group = &plan.root.children[0];
        assert_eq!(group.element.text("ThreadGroup.num_threads"), Some("1"));
        let csv = group.children[0].element.text_or_empty("filename");
        assert_eq!(std::fs::read_to_string(csv).unwrap(), "11;12\n21;22\n31;32\n41;42\n");
        assert_eq!(group.children[1].element.text("filename"), Some(""));
        assert_eq!(group.children[2].element.text("HTTPSampler.domain"), Some("127.0.0.1"));
        assert_eq!(
            group.children[2].element.text("HTTPSampler.port"),
            Some(recorder.port().to_string().as_str())
        );
    }

    #[test]
    fn what_is_not_known_is_skipped_with_the_reason() {
        let mail = case("<SmtpSampler guiclass=\"SmtpSamplerGui\" testname=\"M\"/><hashTree/>");
        assert_eq!(
            rewrite(&mail).skip.as_deref(),
            Some("holds SmtpSampler, which nobody has made harmless yet")
        );
        let off =
            case("<SmtpSampler guiclass=\"SmtpSamplerGui\" testname=\"M\" enabled=\"false\"/><hashTree/>");
        assert_eq!(rewrite(&off).skip, None);
    }

    #[test]
    fn scripts_are_told() {
        let script = case("<JSR223Sampler guiclass=\"TestBeanGUI\" testname=\"J\"/><hashTree/>");
        assert!(rewrite(&script).has_scripts);
        assert!(!rewrite(&case("")).has_scripts);
    }

    #[test]
    fn chance_and_clock_leave_the_shape() {
        let random = case(
            "<HTTPSamplerProxy guiclass=\"HttpTestSampleGui\" testname=\"S\">\
             <stringProp name=\"HTTPSampler.path\">/${__Random(1,9)}</stringProp></HTTPSamplerProxy><hashTree/>",
        );
        assert!(rewrite(&random).rules.shape_only);
        assert!(!rewrite(&case("")).rules.shape_only);
    }
}
