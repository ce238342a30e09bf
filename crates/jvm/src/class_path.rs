//! The class path of the JVM.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use swell_plan::Plan;

use crate::JMeterHome;

/// Jars and folders that are searched for classes, in order. Java's wildcards do not work here, so
/// each jar is listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassPath {
    entries: Vec<PathBuf>,
}

impl ClassPath {
    /// That of a JMeter: its program, `lib`, `lib/ext`, `lib/junit`.
    pub fn of(home: &JMeterHome) -> Self {
        let mut path = Self::default();
        path.add_file(&home.folder().join("bin/ApacheJMeter.jar"));
        for folder in ["lib", "lib/ext", "lib/junit"] {
            path.add_jars(&home.folder().join(folder));
        }
        path
    }

    /// Adds a jar, or a folder and the jars in it. What is not there is left out.
    ///
    /// Source: `org.apache.jmeter.NewDriver.addPath`.
    pub fn add(&mut self, entry: &Path) {
        if entry.is_dir() {
            self.push(entry.to_owned());
            self.add_jars(entry);
        } else {
            self.add_file(entry);
        }
    }

    /// Adds what properties name: `search_paths` and `plugin_dependency_paths`, split at `;`, and
    /// `user.classpath`, split as paths are here. `property` gives the value of one.
    ///
    /// Source: `org.apache.jmeter.JMeter.updateClassLoader`.
    pub fn add_properties<'p>(&mut self, property: impl Fn(&str) -> Option<&'p str>) {
        let split_at_semicolons = |name| property(name).unwrap_or_default().split(';').map(PathBuf::from);
        let named = split_at_semicolons("search_paths")
            .chain(std::env::split_paths(property("user.classpath").unwrap_or_default()))
            .chain(split_at_semicolons("plugin_dependency_paths"));
        for entry in named.filter(|entry| !entry.as_os_str().is_empty()) {
            self.add(&entry);
        }
    }

    /// Its entries in order.
    pub fn entries(&self) -> &[PathBuf] {
        &self.entries
    }

    pub(crate) fn put_first(&mut self, jar: PathBuf) {
        self.entries.insert(0, jar);
    }

    fn add_file(&mut self, file: &Path) {
        if file.is_file() {
            self.push(file.to_owned());
        }
    }

    fn add_jars(&mut self, folder: &Path) {
        let Ok(listed) = std::fs::read_dir(folder) else { return };
        let is_jar = |file: &PathBuf| file.extension().is_some_and(|end| end == OsStr::new("jar"));
        let mut jars: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).filter(is_jar).collect();
        // The order of a folder is that of its file system; a class-data archive is good for one
        // order only.
        jars.sort_unstable();
        for jar in jars {
            self.push(jar);
        }
    }

    fn push(&mut self, entry: PathBuf) {
        if !self.entries.contains(&entry) {
            self.entries.push(entry);
        }
    }
}

/// What the Test Plan adds to the class path (`TestPlan.user_define_classpath`): names, split at
/// commas; `find` knows where the file of a name is.
///
/// Source: `org.apache.jmeter.testelement.TestPlan.prepareForPreCompile`.
pub fn class_path_of_plan(plan: &Plan, find: impl Fn(&Path) -> PathBuf) -> Vec<PathBuf> {
    let text = plan.root.element.text("TestPlan.user_define_classpath").unwrap_or_default();
    let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
    names.map(|name| find(Path::new(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_plan_count_from_its_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let element = swell_plan::Element::new("TestPlan", "TestPlanGui", "p")
            .with_text("TestPlan.user_define_classpath", "a.jar, sub/b.jar,,/abs/c.jar");
        let plan = Plan::new(swell_plan::Node::new(element));
        let expected = [folder.path().join("a.jar"), folder.path().join("sub/b.jar"), "/abs/c.jar".into()];
        assert_eq!(class_path_of_plan(&plan, |name| folder.path().join(name)), expected);
    }

    #[test]
    fn folders_bring_their_jars_in_order_and_once() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["b.jar", "a.jar", "c.txt"] {
            std::fs::write(folder.path().join(name), "").expect("a file");
        }
        let mut path = ClassPath::default();
        let list = format!("{0}/b.jar;{0}/missing.jar;{0}", folder.path().display());
        path.add_properties(|name| (name == "search_paths").then_some(list.as_str()));
        let names: Vec<_> =
            path.entries().iter().map(|entry| entry.strip_prefix(folder.path()).expect("inside")).collect();
        assert_eq!(names, [Path::new("b.jar"), Path::new(""), Path::new("a.jar")]);
    }
}
