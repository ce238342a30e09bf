//! A plan as an agent runs it: its files where they stand here, its results in files of the agent's
//! own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use swell_api::{FileUse, Registry};
use swell_debug::KeptFailures;
use swell_plan::{Element, Node, NodeId, Plan, Severity};
use swell_run::{RunShape, Trial, TrialSettings, table_of_elements};

use crate::FleetError;
use crate::files::{moved, point_to};
use crate::wire::Manifest;

/// A results file of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RowFile {
    /// The listener's element in the plan.
    pub(super) listener: NodeId,
    pub(super) path: PathBuf,
}

/// Makes the plan of a run ready.
pub(super) fn prepare(
    manifest: &Manifest,
    folder: &Path,
    rows: &Path,
    settings: TrialSettings,
    agent: &str,
) -> Result<(Trial, Vec<RowFile>), FleetError> {
    let (mut plan, place) = read(manifest, folder)?;
    if manifest.wants_rows {
        // As the controller has it.
        let collector = Element::new("ResultCollector", "SimpleDataWriter", "-l").with_text("filename", "-l");
        plan.root.children.push(Node::new(collector));
    }
    let written: Arc<Mutex<Vec<RowFile>>> = Arc::default();
    let found = written.clone();
    let sent = manifest.files.clone();
    let agent_folder = folder.to_owned();
    let rows_folder = rows.to_owned();
    let mut registry = table_of_elements();
    registry.extend(settings.elements.iter().cloned());
    let edit = move |root: &mut Node| {
        point_to(root, &sent, &agent_folder, &registry);
        let files = redirect(root, &rows_folder, &registry);
        *found.lock().unwrap_or_else(PoisonError::into_inner) = files;
    };
    for (name, value) in &manifest.properties {
        settings.props.set(name, value);
    }
    if manifest.multiply {
        // `RemoteJMeterEngineImpl` puts its name before those of the threads.
        settings.props.set("__jm.D_TG", agent);
    }
    let settings = TrialSettings {
        plan_name: place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        log: Some(folder.join("jmeter.log")),
        workers: settings.workers,
        holds_phases: true,
        // With many agents the controller hears of them more seldom.
        twice_a_second: manifest.interval_s == 1,
        compat: manifest.compat,
        seed: manifest.seed,
        moved_files: moved(&manifest.files, folder),
        edit: Some(Arc::new(edit)),
        failures: (manifest.keep_failures > 0).then(|| {
            Arc::new(KeptFailures::new(manifest.keep_failures.into(), manifest.keep_failure_bodies))
        }),
        shape: manifest
            .shape
            .clone()
            .map(|sent| RunShape { shape: sent.shape.into(), spacing: sent.spacing }),
        ..settings
    };
    std::fs::create_dir_all(rows)
        .map_err(|error| FleetError::new(format!("cannot make `{}`: {error}", rows.display())))?;
    let trial = Trial::prepare(&plan, settings);
    let trial = trial.map_err(|error| FleetError::new(error.to_string().replace('\n', "; ")))?;
    let files = std::mem::take(&mut *written.lock().unwrap_or_else(PoisonError::into_inner));
    Ok((trial, files))
}

fn read(manifest: &Manifest, folder: &Path) -> Result<(Plan, PathBuf), FleetError> {
    let entry = manifest.files.first().ok_or_else(|| FleetError::new("the manifest names no plan"))?;
    let path = crate::files::place_of(&entry.name, &entry.object, folder);
    let bytes = std::fs::read(&path)
        .map_err(|error| FleetError::new(format!("cannot read `{}`: {error}", path.display())))?;
    let reading = swell_plan::read(&bytes, Some(&path));
    let wrong = reading.diagnostics.iter().find(|found| found.severity == Severity::Error);
    match (reading.plan, wrong) {
        (Some(plan), None) => Ok((plan, path)),
        (_, wrong) => {
            let why = wrong.map_or_else(|| "the file is not a test plan".to_owned(), ToString::to_string);
            Err(FleetError::new(format!("the plan cannot be read: {why}")))
        }
    }
}

/// Lets listeners write to files in that folder, one for each name.
fn redirect(root: &mut Node, folder: &Path, registry: &Registry) -> Vec<RowFile> {
    let mut known: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut files = Vec::new();
    redirect_node(root, &mut |id, element| {
        registry.rename_files(element, &mut |file| {
            if file.usage != FileUse::WriteResults {
                return None;
            }
            let path = known.entry(file.text.to_owned()).or_insert_with(|| {
                let path = folder.join(format!("{}.jtl", id.0));
                files.push(RowFile { listener: id, path: path.clone() });
                path
            });
            Some(path.to_string_lossy().into_owned())
        });
    });
    files
}

fn redirect_node(node: &mut Node, take: &mut dyn FnMut(NodeId, &mut Element)) {
    take(node.id, &mut node.element);
    node.children.iter_mut().for_each(|child| redirect_node(child, take));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{FileEntry, Needs};

    #[test]
    fn what_a_plan_needs_is_seen_here_whatever_its_controller_says() {
        let folder = tempfile::tempdir().expect("a folder");
        let process = Node::new(
            Element::new("SystemSampler", "SystemSamplerGui", "p").with_text("SystemSampler.command", "true"),
        );
        let group = Element::new("ThreadGroup", "ThreadGroupGui", "g")
            .with_element(
                "ThreadGroup.main_controller",
                Element::new("LoopController", "LoopControlPanel", "l"),
            )
            .with_text("ThreadGroup.num_threads", "1");
        let plan =
            Plan::new(Node::new(Element::new("TestPlan", "", "t")).with(Node::new(group).with(process)));
        std::fs::write(folder.path().join("plan.jmx"), swell_plan::write(&plan)).expect("written");
        let entry = FileEntry {
            name: "plan.jmx".into(),
            texts: Vec::new(),
            given: true,
            object: "file0".into(),
            sha256: String::new(),
            bytes: 0,
        };
        let manifest = Manifest::of_test("r", "plan.jmx", vec![entry], 1);
        let settings = TrialSettings::new(folder.path());
        let rows = folder.path().join("rows");
        let (trial, _) = prepare(&manifest, folder.path(), &rows, settings, "a").expect("a plan that runs");
        let needs = Needs::of(&trial);
        assert_eq!(needs, Needs { scripts: false, processes: true });
        let refused = needs.are_met(true, false).expect_err("its owner does not let it");
        assert!(
            refused.message.ends_with("start processes; `swell agent --allow-process` allows it"),
            "{refused}"
        );
        assert!(needs.are_met(false, true).is_ok());
    }

    fn file(number: usize, name: &str) -> FileEntry {
        FileEntry {
            name: name.into(),
            texts: Vec::new(),
            given: false,
            object: format!("file{number}"),
            sha256: String::new(),
            bytes: 0,
        }
    }

    /// Writes a plan where the agent has the file.
    fn put(folder: &Path, entry: &FileEntry, root: Node) {
        let place = crate::files::place_of(&entry.name, &entry.object, folder);
        std::fs::create_dir_all(place.parent().expect("a folder")).expect("made");
        std::fs::write(place, swell_plan::write(&Plan::new(root))).expect("written");
    }

    #[test]
    fn files_of_included_plans_are_found_and_their_listeners_write_rows() {
        let folder = tempfile::tempdir().expect("a folder");
        let node = |class: &str, name: &str, text: &str| {
            Node::new(Element::new(class, "", class).with_text(name, text))
        };
        let include = |name: &str| node("IncludeController", "IncludeController.includepath", name);
        let fragment = |child: Node| {
            Node::new(Element::new("TestPlan", "", "t"))
                .with(Node::new(Element::new("TestFragmentController", "", "f")).with(child))
        };
        let group = Node::new(
            Element::new("ThreadGroup", "ThreadGroupGui", "g")
                .with_text("ThreadGroup.num_threads", "1")
                .with_element("ThreadGroup.main_controller", Element::new("LoopController", "", "l")),
        );
        let files = [
            file(0, "plan.jmx"),
            file(1, "/parts/one.jmx"),
            file(2, "/parts/two.jmx"),
            file(3, "../users.csv"),
        ];
        let plan = Node::new(Element::new("TestPlan", "", "t")).with(group.with(include("one.jmx")));
        put(folder.path(), &files[0], plan);
        put(folder.path(), &files[1], fragment(include("two.jmx")));
        let data = node("CSVDataSet", "filename", "../users.csv");
        let collector = node("ResultCollector", "filename", "own.jtl");
        put(folder.path(), &files[2], fragment(data.with(collector)));
        let users = crate::files::place_of(&files[3].name, &files[3].object, folder.path());
        std::fs::create_dir_all(users.parent().expect("a folder")).expect("made");
        std::fs::write(&users, "u\n1\n").expect("written");
        let mut manifest = Manifest::of_test("r", "plan.jmx", files.to_vec(), 1);
        manifest.properties.insert("includecontroller.prefix".into(), "/parts/".into());
        let rows = folder.path().join("rows");
        let settings = TrialSettings::new(folder.path());
        let (trial, rows) =
            prepare(&manifest, folder.path(), &rows, settings, "a").expect("a plan that runs");
        let mut names = Vec::new();
        trial
            .prepared()
            .root()
            .walk(&mut |node| names.extend(node.element.text("filename").map(str::to_owned)));
        assert_eq!(names.first().map(Path::new), Some(&*users), "{:?}", trial.diagnostics());
        assert_eq!(rows.len(), 1);
        assert_eq!(names.get(1).map(Path::new), Some(&*rows[0].path));
    }

    #[test]
    fn listeners_of_one_file_share_a_file_here_too() {
        let collector =
            |name: &str| Node::new(Element::new("ResultCollector", "", "l").with_text("filename", name));
        let root = Node::new(Element::new("TestPlan", "", "plan"))
            .with(collector("a.jtl"))
            .with(collector(""))
            .with(collector("b.jtl"))
            .with(collector("a.jtl"));
        let mut plan = Plan::new(root);
        let files = redirect(&mut plan.root, Path::new("/rows"), &table_of_elements());
        let found: Vec<_> =
            files.iter().map(|file| (file.listener.0, file.path.to_str().expect("UTF-8"))).collect();
        assert_eq!(found, [(1, "/rows/1.jtl"), (3, "/rows/3.jtl")]);
        let names: Vec<_> =
            plan.root.children.iter().map(|node| node.element.text_or_empty("filename")).collect();
        assert_eq!(names, ["/rows/1.jtl", "", "/rows/3.jtl", "/rows/1.jtl"]);
    }
}
