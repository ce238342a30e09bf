//! Files that a plan reads: those next to it, or generated ones.

use std::fs;
use std::path::{Path, PathBuf};

use swell_plan::{Element, Node, Plan, write};

use super::texts;

/// The files of one run.
pub(super) struct Files<'a> {
    plan_folder: &'a Path,
    folder: PathBuf,
    made_up: u32,
}

impl<'a> Files<'a> {
    pub(super) fn new(plan_folder: &'a Path, run_folder: &Path) -> Self {
        Self { plan_folder, folder: run_folder.join("data"), made_up: 0 }
    }

    /// Points an element at existing files.
    pub(super) fn provide(&mut self, element: &mut Element) {
        match element.class.as_str() {
            "CSVDataSet" | "com.blazemeter.jmeter.RandomCSVDataSetConfig" => self.provide_table(element),
            "IncludeController" => self.provide_fragment(element),
            _ => {}
        }
        texts(element, &mut |name, text| {
            if name == "File.path" && !text.is_empty() {
                self.provide_upload(text);
            }
        });
    }

    /// Provides the file of a data set: the one next to the plan, or one with a value for each
    /// name.
    fn provide_table(&mut self, element: &mut Element) {
        let named = element.text_or_empty("filename").replace('\\', "/");
        let base = named.rsplit('/').next().unwrap_or_default();
        let source = self.plan_folder.join(base);
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
        // Without names, the first line is the header, whose names cannot be known.
        let rows: Vec<String> = (1..=4).map(row).collect();
        self.made_up += 1;
        if let Some(file) = self.write(&format!("made-up-{}.csv", self.made_up), &(rows.join("\n") + "\n")) {
            element.set_text("filename", &file);
        }
    }

    /// Provides a fragment with one sampler.
    fn provide_fragment(&mut self, element: &mut Element) {
        let mut root = Node::new(Element::new("TestPlan", "TestPlanGui", "Made up"));
        let fragment = Element::new("TestFragmentController", "TestFragmentControllerGui", "Fragment");
        let sampler = Element::new("DebugSampler", "TestBeanGUI", "included");
        root.children.push(Node::new(fragment).with(Node::new(sampler)));
        if let Some(file) = self.write("made-up.jmx", &write(&Plan::new(root))) {
            element.set_text("IncludeController.includepath", &file);
        }
    }

    /// Provides a file to send; it is always generated.
    fn provide_upload(&mut self, path: &mut String) {
        if let Some(file) = self.write("made-up.txt", "made up\n") {
            *path = file;
        }
    }

    /// Writes a file; returns its path if it could be written.
    fn write(&self, name: &str, text: &str) -> Option<String> {
        let file = self.folder.join(name);
        fs::create_dir_all(&self.folder).and_then(|()| fs::write(&file, text)).ok()?;
        Some(file.to_string_lossy().into_owned())
    }
}
