//! Plans of anyone made harmless and small: every host becomes the recorder, load and waits shrink, files that are missing
//! are made up. Both programs get the same result, so what is compared keeps its meaning.

mod load;
mod origin;
mod skip;

use std::path::{Path, PathBuf};

use swell_plan::{Element, Node, Plan, Property, PropertyValue};

use crate::case::{Case, Rules};

/// A plan that can be run against a recorder, or the reason why not.
#[derive(Clone, Debug)]
pub struct Rewritten {
    /// Why it is not run: what it holds that cannot be compared.
    pub skip: Option<String>,
    /// Rules for its comparison.
    pub rules: Rules,
    plan: Plan,
    folder: PathBuf,
}

/// Looks at a plan of anyone.
pub fn rewrite(case: &Case) -> Rewritten {
    let folder = case.file.parent().unwrap_or(Path::new("")).to_owned();
    let mut plan = case.plan.clone();
    skip::prune(&mut plan);
    let mut rules = Rules { shape_only: skip::is_unsteady(&plan), ..case.rules.clone() };
    if skip::holds(&plan, "DebugSampler") {
        // It shows times and variables of JMeter's own.
        rules.masked.push("bytes".to_owned());
    }
    if skip::sends_parts(&plan) {
        // Their boundary is of random length.
        rules.masked.push("sentBytes".to_owned());
    }
    Rewritten { skip: skip::reason(&plan), rules, plan, folder }
}

impl Rewritten {
    /// The plan for a recorder at `port`. Files that are missing are written to `data` below `run_folder`.
    pub fn prepare(&self, port: u16, run_folder: &Path) -> Plan {
        let mut plan = self.plan.clone();
        let mut made_up = 0;
        change(&mut plan.root, &mut |element| {
            origin::redirect(element, port);
            load::shrink(element);
            keep_quiet(element);
            texts(element, &mut |name, text| {
                if name == "File.path" && !text.is_empty() {
                    provide_upload(text, run_folder);
                }
            });
            if element.class == "CSVDataSet" {
                made_up += 1;
                provide_csv(element, &self.folder, run_folder, made_up);
            }
        });
        // One group after the other, so that there is one order to compare.
        plan.root.element.set_text("TestPlan.serialize_threadgroups", "true");
        plan.beside.clear();
        plan
    }
}

fn change(node: &mut Node, edit: &mut dyn FnMut(&mut Element)) {
    edit(&mut node.element);
    for child in &mut node.children {
        change(child, edit);
    }
}

/// Listeners that write files or talk to others say nothing.
fn keep_quiet(element: &mut Element) {
    match element.class.as_str() {
        "ResultCollector" | "ResultSaver" => {
            for name in ["filename", "FileSaver.filename"] {
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

/// The file of a CSV Data Set: that beside the plan if there is one, else one with a value for each of its names.
fn provide_csv(element: &mut Element, plan_folder: &Path, run_folder: &Path, number: u32) {
    let named = element.text_or_empty("filename").replace('\\', "/");
    let base = named.rsplit('/').next().unwrap_or_default();
    let source = plan_folder.join(base);
    if !base.is_empty() && !base.contains('$') && source.is_file() {
        element.set_text("filename", &source.to_string_lossy());
        return;
    }
    let names: Vec<&str> = element.text_or_empty("variableNames").split(',').map(str::trim).collect();
    let delimiter = match element.text_or_empty("delimiter") {
        "" => ",",
        "\\t" => "\t",
        other => other,
    };
    let row = |row: u32| {
        let values = (1..=names.len()).map(|column| format!("{row}{column}"));
        values.collect::<Vec<_>>().join(delimiter)
    };
    // With no names the first line is the header; it names its columns as it can.
    let rows: Vec<String> = (1..=4).map(row).collect();
    let folder = run_folder.join("data");
    let file = folder.join(format!("made-up-{number}.csv"));
    let written =
        std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, rows.join("\n") + "\n"));
    if written.is_ok() {
        element.set_text("filename", &file.to_string_lossy());
    }
}

/// A file to send: always one that is made up.
fn provide_upload(path: &mut String, run_folder: &Path) {
    let folder = run_folder.join("data");
    let file = folder.join("made-up.txt");
    let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, "made up\n"));
    if written.is_ok() {
        *path = file.to_string_lossy().into_owned();
    }
}

/// Every text in the properties of an element, those of its parts included.
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
        let plan = rewritten.prepare(4242, run.path());
        let group = &plan.root.children[0];
        assert_eq!(group.element.text("ThreadGroup.num_threads"), Some("1"));
        let csv = group.children[0].element.text_or_empty("filename");
        assert_eq!(std::fs::read_to_string(csv).unwrap(), "11;12\n21;22\n31;32\n41;42\n");
        assert_eq!(group.children[1].element.text("filename"), Some(""));
        assert_eq!(group.children[2].element.text("HTTPSampler.domain"), Some("127.0.0.1"));
        assert_eq!(group.children[2].element.text("HTTPSampler.port"), Some("4242"));
    }

    #[test]
    fn scripts_and_plugins_are_skipped_with_the_reason() {
        let script = case("<JSR223Sampler guiclass=\"TestBeanGUI\" testname=\"J\"/><hashTree/>");
        assert_eq!(rewrite(&script).skip.as_deref(), Some("holds JSR223Sampler"));
        let off =
            case("<JSR223Sampler guiclass=\"TestBeanGUI\" testname=\"J\" enabled=\"false\"/><hashTree/>");
        assert_eq!(rewrite(&off).skip, None);
        let function = case(
            "<HTTPSamplerProxy guiclass=\"HttpTestSampleGui\" testname=\"${__groovy(1)}\">\
             <stringProp name=\"HTTPSampler.path\">/${__groovy(1+1)}</stringProp></HTTPSamplerProxy><hashTree/>",
        );
        assert_eq!(rewrite(&function).skip.as_deref(), Some("calls __groovy"));
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
