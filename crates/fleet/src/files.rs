//! Files of a plan: which are sent, and where they stand on an agent.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};
use swell_api::{FileUse, NamedFile, Registry};
use swell_expr::{Compiler, Properties};
use swell_plan::{Element, Node, Property, PropertyValue};
use swell_run::Trial;

use crate::FleetError;
use crate::wire::FileEntry;

/// Larger files are not sent by themselves.
const LARGEST: u64 = 1 << 30;

/// Most files below a folder that are sent.
const MOST_BELOW: usize = 10_000;

/// A file for the agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentFile {
    /// Its name, without variables.
    pub name: String,
    /// Where it is here.
    pub path: PathBuf,
    /// Other texts by which the plan names it: `${folder}/users.csv`.
    pub texts: Vec<String>,
    /// The user sends it: any text of the plan that is its name stands for it.
    pub given: bool,
}

impl SentFile {
    /// A file that the user sends.
    pub fn given(name: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self { name: name.into(), path: path.into(), texts: Vec::new(), given: true }
    }
}

/// Where files of a plan are looked for, and what is known of their names before it runs.
struct Search<'a> {
    root: &'a Node,
    registry: &'a Registry,
    variables: &'a [(String, String)],
    props: &'a Properties,
    plan_dir: &'a Path,
}

/// Files that elements of a plan read and that are there: data files, scripts, uploads, parts of
/// the plan, jars; of folders that they read, all files below, where the folder is inside that of
/// the plan or the working folder. Names are looked for in the working folder, then in that of the plan. Those that
/// only the run decides are left out.
pub fn files_of_trial(trial: &Trial, plan_dir: &Path) -> Vec<SentFile> {
    Search::of(trial, plan_dir).files(FileUse::reads)
}

/// Plans that a plan includes: parts of it, whatever else agents have themselves.
pub fn parts_of_trial(trial: &Trial, plan_dir: &Path) -> Vec<SentFile> {
    Search::of(trial, plan_dir).files(|usage| usage == FileUse::ReadPlan)
}

impl<'a> Search<'a> {
    fn of(trial: &'a Trial, plan_dir: &'a Path) -> Self {
        Self {
            root: trial.prepared().root(),
            registry: trial.registry(),
            variables: trial.prepared().variables(),
            props: trial.props(),
            plan_dir,
        }
    }

    fn files(&self, is_wanted: impl Fn(FileUse) -> bool) -> Vec<SentFile> {
        let mut named: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        self.root.walk(&mut |node| {
            for file in self.registry.files(&node.element).iter().filter(|file| is_wanted(file.usage)) {
                let Some(name) = self.name(file) else { continue };
                for below in self.below(&name, file.usage) {
                    named.entry(below).or_default();
                }
                named.entry(name).or_default().insert(file.text.to_owned());
            }
        });
        let found = |(name, texts): (String, BTreeSet<String>)| {
            let path = self.places(&name).into_iter().find(|path| is_data(path))?;
            let texts = texts.into_iter().filter(|text| *text != name).collect();
            Some(SentFile { name, path, texts, given: false })
        };
        named.into_iter().filter_map(found).collect()
    }

    /// Where a name is looked for.
    fn places(&self, name: &str) -> [PathBuf; 2] {
        [PathBuf::from(name), self.plan_dir.join(name)]
    }

    /// The names of the files below a folder that an element reads. None for a folder that is
    /// elsewhere: its files would not be together on an agent.
    fn below(&self, name: &str, usage: FileUse) -> Vec<String> {
        let Some(ending) = usage.ending().filter(|_| is_inside(name)) else { return Vec::new() };
        let Some(root) = self.places(name).into_iter().find(|path| path.is_dir()) else { return Vec::new() };
        let (mut folders, mut found) = (vec![PathBuf::new()], Vec::new());
        while let Some(folder) = folders.pop() {
            // What cannot be read is not sent: the agent reports what it lacks.
            let Ok(entries) = fs::read_dir(root.join(&folder)) else { continue };
            for entry in entries.flatten() {
                let inner = folder.join(entry.file_name());
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => folders.push(inner),
                    Ok(_) if inner.to_string_lossy().ends_with(ending) => {
                        found.push(Path::new(name).join(inner).to_string_lossy().into_owned());
                    }
                    _ => {}
                }
            }
            if found.len() + folders.len() > MOST_BELOW {
                break;
            }
        }
        found
    }

    /// The name of a file, if literals, variables of the plan and properties alone decide it.
    fn name(&self, file: &NamedFile<'_>) -> Option<String> {
        let known = Compiler::new(Arc::default()).template(file.text).known(self.variables, self.props)?;
        let prefix = match file.usage {
            FileUse::ReadPlan => self.props.get("includecontroller.prefix").unwrap_or_default(),
            _ => String::new(),
        };
        let name = format!("{prefix}{}", known.trim());
        (!name.is_empty() && !name.contains("${") && !name.contains('\0')).then_some(name)
    }
}

fn is_data(path: &Path) -> bool {
    path.metadata().is_ok_and(|there| there.is_file() && there.len() <= LARGEST)
}

/// Entries of a manifest for these files.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn entries(files: &[SentFile]) -> Result<Vec<FileEntry>, FleetError> {
    let entry = |(number, file): (usize, &SentFile)| {
        let (sha256, bytes) = digest(&file.path)
            .map_err(|error| FleetError::new(format!("cannot read `{}`: {error}", file.path.display())))?;
        let SentFile { name, texts, given, .. } = file.clone();
        Ok(FileEntry { name, texts, given, object: format!("file{number}"), sha256, bytes })
    };
    files.iter().enumerate().map(entry).collect()
}

fn digest(path: &Path) -> io::Result<(String, u64)> {
    let mut file = fs::File::open(path)?;
    let mut digest = Sha256::new();
    let bytes = io::copy(&mut file, &mut digest)?;
    Ok((HEXLOWER.encode(&digest.finalize()), bytes))
}

/// The path of a file on an agent: its name if that leads nowhere else, so that the plan finds it.
pub(crate) fn place_of(name: &str, object: &str, folder: &Path) -> PathBuf {
    if is_inside(name) {
        return folder.join(name);
    }
    let last = Path::new(name).file_name().unwrap_or_default();
    folder.join("elsewhere").join(object).join(last)
}

fn is_inside(name: &str) -> bool {
    let inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    Path::new(name).components().all(inside)
}

/// Where the files are on this agent that their names do not lead to, by these names. Jars and
/// plans that a plan includes are found by it alone: they are read before the plan is complete, and
/// names of plans may get a prefix.
pub(crate) fn moved(entries: &[FileEntry], folder: &Path) -> HashMap<PathBuf, PathBuf> {
    let mut moved = HashMap::new();
    for entry in entries.iter().filter(|entry| !is_inside(&entry.name)) {
        let place = place_of(&entry.name, &entry.object, folder);
        let names = entry.texts.iter().chain([&entry.name]);
        moved.extend(names.map(|name| (PathBuf::from(name), place.clone())));
    }
    moved
}

/// Has the elements of a plan name their files where they are on this agent, and any text that is
/// the name of a file that the user sends.
pub(crate) fn point_to(root: &mut Node, entries: &[FileEntry], folder: &Path, registry: &Registry) {
    let moved: Vec<_> = entries.iter().filter(|entry| !is_inside(&entry.name)).collect();
    let is_pointed = |usage: FileUse| usage.reads() && usage != FileUse::ReadPlan;
    let place = |text: &str| {
        let entry =
            moved.iter().find(|entry| entry.name == text || entry.texts.iter().any(|one| one == text))?;
        Some(place_of(&entry.name, &entry.object, folder).to_string_lossy().into_owned())
    };
    let given: Vec<&str> = moved.iter().filter(|entry| entry.given).map(|entry| &*entry.name).collect();
    if !moved.is_empty() {
        each_element(root, &mut |element| {
            registry.rename_files(element, &mut |file| {
                if is_pointed(file.usage) { place(file.text) } else { None }
            });
            point_texts(element, &|text| if given.contains(&text) { place(text) } else { None });
        });
    }
}

pub(crate) fn each_element(node: &mut Node, take: &mut dyn FnMut(&mut Element)) {
    take(&mut node.element);
    node.children.iter_mut().for_each(|child| each_element(child, take));
}

fn point_texts(element: &mut Element, place: &dyn Fn(&str) -> Option<String>) {
    element.properties.iter_mut().for_each(|property| point_text(property, place));
}

fn point_text(property: &mut Property, place: &dyn Fn(&str) -> Option<String>) {
    match &mut property.value {
        PropertyValue::Text(text) => {
            if let Some(place) = place(text.trim()) {
                *text = place;
            }
        }
        PropertyValue::Element(element) => point_texts(element, place),
        PropertyValue::Collection(all) | PropertyValue::Map(all) => {
            for member in all {
                point_text(member, place);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_plan::Plan;
    use swell_run::table_of_elements;

    fn node(class: &str, name: &str, text: &str) -> Node {
        Node::new(Element::new(class, "", class).with_text(name, text))
    }

    fn files(root: &Node, variables: &[(&str, &str)], plan_dir: &Path) -> Vec<SentFile> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let variables: Vec<_> = variables.iter().map(owned).collect();
        let registry = table_of_elements();
        let props = Properties::default();
        let search = Search { root, registry: &registry, variables: &variables, props: &props, plan_dir };
        search.files(FileUse::reads)
    }

    fn names(files: &[SentFile]) -> Vec<&str> {
        files.iter().map(|file| &*file.name).collect()
    }

    #[test]
    fn files_that_are_there_are_sent_and_found_again() {
        let dir = tempfile::tempdir().expect("a folder");
        let outside = tempfile::NamedTempFile::new().expect("a file");
        fs::create_dir(dir.path().join("data")).expect("made");
        fs::write(dir.path().join("data/users.csv"), "a\nb\n").expect("written");
        let absolute = outside.path().to_string_lossy().into_owned();
        let root = node("TestPlan", "TestPlan.user_define_classpath", &format!("none.jar,{absolute}"))
            .with(node("CSVDataSet", "filename", "data/users.csv"))
            .with(node("CSVDataSet", "filename", "data/${name}.csv"))
            .with(node("ResultCollector", "filename", "data/users.csv"));
        let sent = files(&root, &[], dir.path());
        let mut wanted = vec![&*absolute, "data/users.csv"];
        wanted.sort_unstable();
        assert_eq!(names(&sent), wanted);
        let entries = entries(&sent).expect("they are there");
        let users = entries.iter().find(|entry| entry.name == "data/users.csv").expect("it is sent");
        assert_eq!((users.bytes, users.sha256.len()), (4, 64));
        let agent = Path::new("/agent");
        assert_eq!(place_of(&users.name, &users.object, agent), Path::new("/agent/data/users.csv"));
        let mut plan = Plan::new(root);
        point_to(&mut plan.root, &entries, agent, &table_of_elements());
        let text = plan.root.element.text_or_empty("TestPlan.user_define_classpath").to_owned();
        assert!(text.starts_with("none.jar,/agent/elsewhere/file"), "{text}");
        for name in ["../x.csv", "/etc/x.csv"] {
            assert!(place_of(name, "file3", agent).starts_with("/agent/elsewhere/file3"), "{name}");
        }
    }

    #[test]
    fn files_below_a_folder_that_an_element_reads_are_sent_with_their_folders() {
        let dir = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(dir.path().join("proto/types")).expect("made");
        for name in ["proto/a.proto", "proto/types/b.proto", "proto/notes.txt"] {
            fs::write(dir.path().join(name), "x").expect("written");
        }
        let class = "vn.zalopay.benchmark.GRPCSampler";
        let root = node(class, "GRPCSampler.protoFolder", "proto")
            .with(node(class, "GRPCSampler.libFolder", "proto/types,none"))
            .with(node("CSVDataSet", "filename", "proto"));
        let sent = files(&root, &[], dir.path());
        assert_eq!(names(&sent), ["proto/a.proto", "proto/types/b.proto"]);
        assert_eq!(
            place_of(&sent[1].name, "file1", Path::new("/agent")),
            Path::new("/agent/proto/types/b.proto")
        );
        let elsewhere = dir.path().join("proto").to_string_lossy().into_owned();
        assert_eq!(files(&node(class, "GRPCSampler.protoFolder", &elsewhere), &[], dir.path()), []);
        let one = dir.path().join("proto/a.proto").to_string_lossy().into_owned();
        assert_eq!(names(&files(&node(class, "GRPCSampler.protoFolder", &one), &[], dir.path())), [&*one]);
    }

    #[test]
    fn a_name_that_the_plans_variables_make_is_sent_and_found_again() {
        let dir = tempfile::tempdir().expect("a folder");
        fs::write(dir.path().join("users.csv"), "a\n").expect("written");
        let folder = dir.path().to_string_lossy().into_owned();
        let text = "${folder}/users.csv";
        let root = node("TestPlan", "x", "").with(node("CSVDataSet", "filename", text)).with(node(
            "HTTPSamplerProxy",
            "HTTPSampler.path",
            text,
        ));
        let sent = files(&root, &[("folder", &folder)], Path::new(""));
        assert_eq!(names(&sent), [format!("{folder}/users.csv")]);
        assert_eq!(sent[0].texts, [text]);
        let mut plan = Plan::new(root);
        let entries = entries(&sent).expect("it is there");
        point_to(&mut plan.root, &entries, Path::new("/agent"), &table_of_elements());
        let of_child = |child: usize, name| plan.root.children[child].element.text_or_empty(name).to_owned();
        assert_eq!(of_child(0, "filename"), "/agent/elsewhere/file0/users.csv");
        assert_eq!(of_child(1, "HTTPSampler.path"), text, "not a file");
        let place = PathBuf::from("/agent/elsewhere/file0/users.csv");
        let moved = moved(&entries, Path::new("/agent"));
        assert_eq!([moved.get(Path::new(text)), moved.get(Path::new(&sent[0].name))], [Some(&place); 2]);
    }

    #[test]
    fn a_file_that_the_user_sends_is_found_by_any_text_that_is_its_name() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let name = file.path().to_string_lossy().into_owned();
        let argument = Element::new("Argument", "", "").with_text("Argument.value", &name);
        let variables = Element::new("Arguments", "", "v").with_elements("Arguments.arguments", [argument]);
        let request = node("HTTPSamplerProxy", "HTTPSampler.path", "/x");
        let mut plan = Plan::new(Node::new(variables).with(request));
        let entries = entries(&[SentFile::given(&name, file.path())]).expect("it is there");
        point_to(&mut plan.root, &entries, Path::new("/agent"), &table_of_elements());
        let argument = plan.root.element.elements("Arguments.arguments").next().expect("one");
        assert!(argument.text_or_empty("Argument.value").starts_with("/agent/elsewhere/file0/"));
        assert_eq!(plan.root.children[0].element.text("HTTPSampler.path"), Some("/x"));
    }

    #[test]
    fn a_text_that_happens_to_name_a_file_is_not_sent() {
        let dir = tempfile::tempdir().expect("a folder");
        for name in ["secret", "upload.bin", "plugin.key", "run.sh"] {
            fs::write(dir.path().join(name), "x").expect("written");
        }
        let upload = Element::new("HTTPFileArg", "", "").with_text("File.path", "upload.bin");
        let uploads = Element::new("HTTPFileArgs", "", "").with_elements("HTTPFileArgs.files", [upload]);
        let request = Element::new("HTTPSamplerProxy", "", "r")
            .with_text("HTTPSampler.path", "secret")
            .with_element("HTTPsampler.Files", uploads);
        let plugin = Element::new("com.example.OddSampler", "", "p")
            .with_text("text", "secret")
            .with_text("keyFile", "plugin.key");
        let argument = Element::new("Argument", "", "").with_text("Argument.value", "run.sh");
        let arguments = Element::new("Arguments", "", "").with_elements("Arguments.arguments", [argument]);
        let process = Element::new("SystemSampler", "", "s")
            .with_text("SystemSampler.command", "secret")
            .with_element("SystemSampler.arguments", arguments);
        let variable = Element::new("Argument", "", "").with_text("Argument.value", "secret");
        let variables = Element::new("Arguments", "", "").with_elements("Arguments.arguments", [variable]);
        let root = [request, plugin, process, variables]
            .into_iter()
            .map(Node::new)
            .fold(node("TestPlan", "TestPlan.comments", "secret"), Node::with);
        assert_eq!(names(&files(&root, &[], dir.path())), ["plugin.key", "run.sh", "upload.bin"]);
    }
}
