//! The plan of a recording.

use std::fs;
use std::path::Path;

use swell_import::{Imported, Options, Source};

use super::places::Places;
use crate::args::RecordArgs;
use crate::exit::Failure;
use crate::plan_text;

/// Makes the plan of the HAR files.
pub(super) fn make(args: &RecordArgs, places: &Places) -> Result<Imported, Failure> {
    let paths = places.first.iter().chain([&places.raw]);
    let read = |path: &std::path::PathBuf| {
        let bytes = fs::read(path);
        let bytes =
            bytes.map_err(|error| Failure::settings(format!("cannot read {}: {error}", path.display())));
        Ok((path.display().to_string(), bytes?))
    };
    let files = paths.map(read).collect::<Result<Vec<_>, Failure>>()?;
    let sources: Vec<Source<'_>> = files.iter().map(|(name, bytes)| Source { name, bytes }).collect();
    let name = places.plan.file_stem().unwrap_or_default().to_string_lossy();
    swell_import::import(&sources, &name, &options(args)).map_err(|error| {
        let failure = Failure::settings(format!("{}: {}", error.place, error.message));
        if error.hint.is_empty() { failure } else { failure.hint(error.hint) }
    })
}

fn options(args: &RecordArgs) -> Options {
    // Without patterns, import takes the site of the first page.
    let hosts = args.host.iter().flat_map(|patterns| patterns.hosts().map(str::to_owned)).collect();
    Options {
        from: Some("har".to_owned()),
        static_files: args.static_files.into(),
        hosts,
        pauses: args.pause.into(),
        keeps_secrets: args.keep_secrets,
        makes_data: args.data,
        ..Options::default()
    }
}

/// Writes the plan and the files that it needs. The plan of the first recording is kept, since it
/// may have been edited.
pub(super) fn write(args: &RecordArgs, places: &Places, made: &Imported) -> Result<(), Failure> {
    let overwrites = args.force || args.again;
    if args.again && places.plan.exists() {
        let old = places.old_plan();
        fs::rename(&places.plan, &old)
            .map_err(|error| Failure::lost(format!("cannot write {}: {error}", old.display())))?;
    }
    let folder = places.plan.parent().unwrap_or(Path::new(""));
    for file in &made.files {
        let path = folder.join(&file.path);
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            fs::create_dir_all(parent)
                .map_err(|error| Failure::lost(format!("cannot make {}: {error}", parent.display())))?;
        }
        plan_text::write(&path, &file.bytes, overwrites)?;
    }
    plan_text::write(&places.plan, made.text.as_bytes(), overwrites)
}
