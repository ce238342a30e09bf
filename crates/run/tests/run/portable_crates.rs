//! Crates that compute, and use nothing of Linux: another program can take them on any system. The
//! workflow `ci.yml` compiles them on macOS and Windows.

use std::fs;
use std::path::{Path, PathBuf};

use crate::files::files_below;

/// Their folders in `crates/`. They may use each other, and no other crate of this workspace.
const PORTABLE: &[&str] = &[
    "api", "author", "budget", "elements", "expr", "http1", "http2", "import", "java", "plan", "pool",
    "query", "regex", "report", "secrets", "shape", "stats", "trace",
];

/// Libraries for one kind of system.
const SYSTEM_LIBRARIES: &[&str] =
    &["io-uring", "jni-sys", "libc", "libloading", "libmimalloc-sys", "rustix", "signal-hook", "socket2"];

/// Code for one kind of system.
const SYSTEM_CODE: &[&str] =
    &["std::os::", "libc::", "rustix::", "#[cfg(target_os", "\"/proc", "\"/sys/", "\"/dev/"];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

/// What a manifest has in `[dependencies]`.
fn dependencies(manifest: &str) -> impl Iterator<Item = &str> {
    let section = manifest.split("\n[dependencies]\n").nth(1).unwrap_or_default();
    let section = section.split("\n[").next().unwrap_or_default();
    section.lines().filter_map(|line| line.split(['.', ' ', '=']).next()).filter(|name| !name.is_empty())
}

fn is_refused(dependency: &str) -> bool {
    match dependency.strip_prefix("swell-") {
        Some(name) => !PORTABLE.contains(&name),
        None => SYSTEM_LIBRARIES.contains(&dependency),
    }
}

/// Lines of code for one kind of system with their numbers; comments and tests are left out.
fn system_code(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let code = source.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let lines = (1..).zip(code.lines()).filter(|(_, line)| !line.trim_start().starts_with("//"));
    lines.filter(|(_, line)| SYSTEM_CODE.iter().any(|code| line.contains(code)))
}

#[test]
fn portable_crates_use_nothing_of_one_system() {
    let mut failures = Vec::new();
    for name in PORTABLE {
        let manifest = fs::read_to_string(folder(name).join("Cargo.toml")).expect("a manifest");
        let refused = dependencies(&manifest).filter(|dependency| is_refused(dependency));
        failures.extend(refused.map(|dependency| format!("{name} depends on {dependency}")));
        let mut files = files_below(&folder(name).join("src"), "rs");
        files.retain(|file| {
            !file.ends_with("tests.rs")
                && !file.ends_with("testing.rs")
                && !file.components().any(|part| part.as_os_str() == "tests")
        });
        assert!(!files.is_empty(), "{name} has no sources");
        for file in files {
            let source = fs::read_to_string(&file).expect("a source is text");
            let found = system_code(&source);
            failures.extend(found.map(|(line, code)| format!("{}:{line}: {}", file.display(), code.trim())));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_workflow_compiles_each_portable_crate_on_other_systems() {
    let workflow = fs::read_to_string(folder("../.github/workflows/ci.yml")).expect("a workflow");
    for name in PORTABLE {
        assert!(workflow.contains(&format!("-p swell-{name}")), "ci.yml does not compile swell-{name}");
    }
}

#[test]
fn code_for_one_system_and_its_libraries_are_found() {
    let manifest = "[package]\nname = \"x\"\n\n[dependencies]\nswell-net.workspace = true\nlibc = \"0.2\"\nserde = { version = \"1\" }\nswell-plan.workspace = true\n\n[dev-dependencies]\nrustix.workspace = true\n";
    let refused: Vec<_> = dependencies(manifest).filter(|dependency| is_refused(dependency)).collect();
    assert_eq!(refused, ["swell-net", "libc"]);
    let source = "// std::os::fd\nuse std::os::fd::RawFd;\nfn a() {}\n#[cfg(test)]\nmod tests {\n    use std::os::fd::RawFd;\n}\n";
    assert_eq!(system_code(source).map(|(line, _)| line).collect::<Vec<_>>(), [2]);
}
