//! Files of a plan: which are sent, and where they stand on an agent.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};
use swell_plan::{Element, Node, Plan, Property, PropertyValue};

use crate::FleetError;
use crate::wire::FileEntry;

/// Larger files are not sent by themselves.
const LARGEST: u64 = 1 << 30;

/// A file for the agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentFile {
    /// As the plan names it.
    pub name: String,
    /// Where it is here.
    pub path: PathBuf,
}

/// Properties of elements that name what is written, and not read.
fn is_output(element: &Element, property: &str) -> bool {
    let writes = element.class.contains("Collector")
        || element.class.contains("Listener")
        || element.class.contains("Saver")
        || element.class.contains("Writer");
    writes || (element.class == "ResultCollector" && property == "filename")
}

/// Files that the texts of a plan name and that are there: data files, scripts, parts of plans, jars. Names are looked for in the working
/// folder, then in that of the plan. Names with `${` are not known before the test.
pub fn files_of_plan(plan: &Plan, plan_dir: &Path) -> Vec<SentFile> {
    files_of(plan, plan_dir, |_| true)
}

/// Plans that a plan includes: parts of it, whatever else agents have themselves.
pub fn parts_of_plan(plan: &Plan, plan_dir: &Path) -> Vec<SentFile> {
    files_of(plan, plan_dir, |element| element.class == "IncludeController")
}

fn files_of(plan: &Plan, plan_dir: &Path, is_wanted: impl Fn(&Element) -> bool) -> Vec<SentFile> {
    let mut names = BTreeSet::new();
    plan.enabled_tree().walk(&mut |node: &Node| {
        texts(&node.element, &mut |property, text| {
            if is_wanted(&node.element) && !is_output(&node.element, property) {
                // The class path of a plan has several.
                names.extend(
                    text.split(',').map(str::trim).filter(|name| is_file_name(name)).map(str::to_owned),
                );
            }
        });
    });
    let found =
        |name: &String| [PathBuf::from(name), plan_dir.join(name)].into_iter().find(|path| is_data(path));
    names.into_iter().filter_map(|name| Some(SentFile { path: found(&name)?, name })).collect()
}

fn is_data(path: &Path) -> bool {
    path.metadata().is_ok_and(|there| there.is_file() && there.len() <= LARGEST)
}

/// Short texts in one line; anything else is no name.
fn is_file_name(text: &str) -> bool {
    (2..=1024).contains(&text.len())
        && !text.contains("${")
        && !text.contains(['\n', '\0'])
        && !text.contains("://")
}

fn texts(element: &Element, take: &mut dyn FnMut(&str, &str)) {
    element.properties.iter().for_each(|property| texts_of(property, take));
}

fn texts_of(property: &Property, take: &mut dyn FnMut(&str, &str)) {
    match &property.value {
        PropertyValue::Text(text) => take(&property.name, text),
        PropertyValue::Element(element) => texts(element, take),
        PropertyValue::Collection(all) | PropertyValue::Map(all) => {
            for one in all {
                texts_of(one, take);
            }
        }
        _ => {}
    }
}

/// Entries of a manifest for these files.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn entries(files: &[SentFile]) -> Result<Vec<FileEntry>, FleetError> {
    let entry = |(number, file): (usize, &SentFile)| {
        let (sha256, bytes) = digest(&file.path)
            .map_err(|error| FleetError::new(format!("cannot read `{}`: {error}", file.path.display())))?;
        Ok(FileEntry { name: file.name.clone(), object: format!("file{number}"), sha256, bytes })
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

/// Lets a plan name its files where they stand on this agent.
pub(crate) fn point_to(plan: &mut Plan, entries: &[FileEntry], folder: &Path) {
    let moved: Vec<_> = entries
        .iter()
        .filter(|entry| !is_inside(&entry.name))
        .map(|entry| {
            (entry.name.clone(), place_of(&entry.name, &entry.object, folder).to_string_lossy().into_owned())
        })
        .collect();
    if !moved.is_empty() {
        each_element(&mut plan.root, &mut |element| point_element(element, &moved));
    }
}

pub(crate) fn each_element(node: &mut Node, take: &mut dyn FnMut(&mut Element)) {
    take(&mut node.element);
    node.children.iter_mut().for_each(|child| each_element(child, take));
}

fn point_element(element: &mut Element, moved: &[(String, String)]) {
    element.properties.iter_mut().for_each(|property| point_property(property, moved));
}

fn point_property(property: &mut Property, moved: &[(String, String)]) {
    match &mut property.value {
        PropertyValue::Text(text) => {
            if let Some((_, to)) = moved.iter().find(|(from, _)| text.trim() == from) {
                text.clone_from(to);
            } else if text.contains(',') {
                let part = |part: &str| {
                    moved
                        .iter()
                        .find(|(from, _)| part.trim() == from)
                        .map_or(part.to_owned(), |(_, to)| to.clone())
                };
                *text = text.split(',').map(part).collect::<Vec<_>>().join(",");
            }
        }
        PropertyValue::Element(element) => point_element(element, moved),
        PropertyValue::Collection(all) | PropertyValue::Map(all) => {
            for one in all {
                point_property(one, moved);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_there_are_sent_and_found_again() {
        let dir = tempfile::tempdir().expect("a folder");
        let outside = tempfile::NamedTempFile::new().expect("a file");
        fs::create_dir(dir.path().join("data")).expect("made");
        fs::write(dir.path().join("data/users.csv"), "a\nb\n").expect("written");
        let absolute = outside.path().to_string_lossy().into_owned();
        let element = |class: &str, name: &str, text: &str| {
            Node::new(Element::new(class, "", class).with_text(name, text))
        };
        let root = element("TestPlan", "TestPlan.user_define_classpath", &format!("none.jar,{absolute}"))
            .with(element("CSVDataSet", "filename", "data/users.csv"))
            .with(element("CSVDataSet", "filename", "data/${name}.csv"))
            .with(element("ResultCollector", "filename", "data/users.csv"));
        let mut plan = Plan::new(root);
        let files = files_of_plan(&plan, dir.path());
        let mut names: Vec<_> = files.iter().map(|file| file.name.clone()).collect();
        names.sort();
        let mut wanted = vec![absolute.clone(), "data/users.csv".to_owned()];
        wanted.sort();
        assert_eq!(names, wanted);
        let entries = entries(&files).expect("they are there");
        let users = entries.iter().find(|entry| entry.name == "data/users.csv").expect("it is sent");
        assert_eq!((users.bytes, users.sha256.len()), (4, 64));
        let agent = Path::new("/agent");
        assert_eq!(place_of(&users.name, &users.object, agent), Path::new("/agent/data/users.csv"));
        point_to(&mut plan, &entries, agent);
        let text = plan.root.element.text_or_empty("TestPlan.user_define_classpath").to_owned();
        assert!(text.starts_with("none.jar,/agent/elsewhere/file"), "{text}");
        for name in ["../x.csv", "/etc/x.csv"] {
            assert!(place_of(name, "file3", agent).starts_with("/agent/elsewhere/file3"), "{name}");
        }
    }
}
