//! Names of files to write. Text of the plan may name any file. Text that arrives during the test,
//! such as a variable from a response, can only name files below the folder in the plan.

use std::path::{Path, PathBuf};

/// The name of a file to write, and how much of it comes from the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileName {
    text: String,
    /// This number of bytes at its start is the plan's own.
    own: usize,
}

/// The location of a file whose name comes only partly from the plan.
#[derive(Debug, PartialEq, Eq)]
pub struct ContainedPath {
    /// The folder that the plan says; empty: the working folder.
    pub folder: PathBuf,
    /// Folders below it, from the top. No link is to be followed.
    pub below: Vec<String>,
    /// The file in the last of them.
    pub file: String,
}

impl FileName {
    /// A name that is wholly the plan's own.
    pub fn of_plan(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { own: text.len(), text }
    }

    /// A name whose first `own` bytes are the plan's own.
    pub(crate) fn new(text: String, own: usize) -> Self {
        Self { text, own }
    }

    /// As it is written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether there is nothing in it but what the plan itself says.
    pub fn is_of_plan(&self) -> bool {
        self.own == self.text.len()
    }

    /// Puts a folder instead of what the name begins with, which is the plan's own then.
    #[must_use]
    pub fn below(&self, prefix: &str, folder: &Path) -> Self {
        let Some(rest) = self.text.strip_prefix(prefix) else { return self.clone() };
        let folder = folder.join("").to_string_lossy().into_owned();
        let own = folder.len() + self.own.saturating_sub(prefix.len());
        Self { text: folder + rest, own }
    }

    /// Adds something that is not the plan's own.
    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Without spaces and control characters at both ends, as `String.trim` has it.
    #[must_use]
    pub fn trim(&self) -> Self {
        let text = crate::trim::trim(&self.text);
        let before = self.text.find(text).unwrap_or(0);
        Self { own: self.own.saturating_sub(before).min(text.len()), text: text.to_owned() }
    }

    /// Where a name leads that is not wholly the plan's own.
    ///
    /// # Errors
    /// It leads out of the plan's folder, or has control characters that are not the plan's own.
    pub fn contained(&self) -> Result<ContainedPath, String> {
        let folder = self.text[..self.own].rfind('/').map_or(0, |at| at + 1);
        let (folder, rest) = self.text.split_at(folder);
        if folder.is_empty() && rest.starts_with('/') {
            let why =
                "a variable or function supplies an absolute path; the plan itself must name the folder";
            return Err(why.to_owned());
        }
        if self.text[self.own..].contains(char::is_control) {
            return Err("a variable or function adds control characters to it".to_owned());
        }
        let mut below = Vec::new();
        for part in rest.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    let out = format!("`..` from a variable or function leads out of the folder `{folder}`");
                    below.pop().ok_or(out)?;
                }
                part => below.push(part.to_owned()),
            }
        }
        let file = below.pop().filter(|_| !rest.ends_with(['/'])).ok_or("it is a folder")?;
        Ok(ContainedPath { folder: folder.into(), below, file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Folder, folders below it and file.
    fn led(own: &str, more: &str) -> Result<String, String> {
        let name = FileName::new(format!("{own}{more}"), own.len());
        name.contained().map(|to| format!("{}|{}|{}", to.folder.display(), to.below.join("/"), to.file))
    }

    #[test]
    fn what_comes_in_stays_below_the_folder_of_the_plan() {
        for (own, more, place) in [
            ("/tmp/out/r_", "1.html", "/tmp/out/||r_1.html"),
            ("out/", "a/b.txt", "out/|a|b.txt"),
            ("out/", "a/../b.txt", "out/||b.txt"),
            ("out/", "a//./b.txt", "out/|a|b.txt"),
            ("", "a/b.txt", "|a|b.txt"),
            ("../", "b.txt", "../||b.txt"),
            ("/", "b.txt", "/||b.txt"),
            ("out/x.", "..", "out/||x..."),
        ] {
            assert_eq!(led(own, more).as_deref(), Ok(place), "{own}{more}");
        }
        for (own, more) in [
            ("out/", "../b.txt"),
            ("out/r_", "1.x/../../../../OWNED"),
            ("out/", "a/../../b"),
            ("", "/etc/passwd"),
            ("out/", "/../x"),
            ("out/", ".."),
            ("out/", "a/"),
            ("out/", "a\nb"),
        ] {
            led(own, more).expect_err(&format!("{own}{more}"));
        }
    }

    #[test]
    fn values_of_the_plan_may_name_any_file_and_those_of_the_run_none_outside() {
        use crate::{Compiler, RunInfo};
        let compiler = Compiler::new(std::sync::Arc::default());
        let mut cx = crate::testing::context_for(&compiler);
        cx.run = RunInfo { variables: vec![("dir".into(), "/data/out".into())], ..RunInfo::default() }.into();
        cx.props.set("dir", "/props");
        cx.vars.put("dir", "/data/out");
        cx.vars.put("title", "/etc/../passwd");
        let mut own = |text: &str| {
            let name = compiler.template(text).file_name(&mut cx);
            name.text()[..name.own].to_owned()
        };
        assert_eq!(own("/tmp/x"), "/tmp/x");
        assert_eq!(own("${dir}/${title}.txt"), "/data/out/");
        assert_eq!(own("${dir}/a.txt"), "/data/out/a.txt");
        assert_eq!(own("${title}"), "");
        assert_eq!(own("out/${__V(title)}"), "out/");
        assert_eq!(own("${__P(dir)}/${__threadNum}"), "/props/");
        assert_eq!(own("${__P(none,${title})}/x"), "");
        assert_eq!(own("a/${unset}"), "a/${unset}");
        assert_eq!(own("${__groovy(vars.get('title'))}"), "");
        cx.vars.put("dir", "/elsewhere");
        assert_eq!(compiler.template("${dir}/x").file_name(&mut cx).own, 0, "it is not what the plan said");
    }

    #[test]
    fn a_folder_comes_in_the_place_of_a_prefix_and_spaces_go() {
        let name = FileName::new("~/r_x".to_owned(), 4).below("~/", Path::new("/plans"));
        assert_eq!(name, FileName::new("/plans/r_x".to_owned(), 9));
        let foreign = FileName::new("~/../x".to_owned(), 0).below("~/", Path::new("/plans"));
        foreign.contained().expect_err("it leads out");
        assert_eq!(FileName::new("  out/x ".to_owned(), 6).trim(), FileName::new("out/x".to_owned(), 4));
        assert!(FileName::of_plan("/a/b ").trim().is_of_plan());
    }
}
