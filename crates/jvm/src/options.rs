//! Options of the JVM.

use std::path::PathBuf;

use crate::ClassPath;

/// The packages that `bin/jmeter` opens to reflection.
const OPENED: [&str; 5] = ["lang", "lang.invoke", "lang.reflect", "util", "text"];

/// The options for a heap of `heap_mb` with this class path, on a machine with that many
/// processors. `archive` has to be there: with a missing one the JVM does without its own too.
pub(crate) fn options(
    class_path: &ClassPath,
    heap_mb: u32,
    processors: usize,
    archive: Option<&PathBuf>,
) -> Vec<String> {
    let entries = class_path.entries().iter().map(|entry| entry.display().to_string());
    let mut options = vec![
        format!("-Djava.class.path={}", entries.collect::<Vec<_>>().join(":")),
        // INT, TERM, HUP and QUIT stay Swell's.
        "-Xrs".to_owned(),
        // Without bounds the heap takes a quarter of the machine's memory.
        "-Xms16m".to_owned(),
        format!("-Xmx{heap_mb}m"),
        "-XX:-UsePerfData".to_owned(),
        "-Djava.awt.headless=true".to_owned(),
        // Standard output is for data.
        "-Xlog:disable".to_owned(),
        "-Xlog:all=error:stderr".to_owned(),
        "-Dlog4j2.loggerContextFactory=swell.jvm.CallLoggers".to_owned(),
        // With 325, the default, C2 takes twice the time for the calls of a script, and its code is
        // not faster (bench/jvm_calls.sh). A JVM may have no C2, and so no such option.
        "-XX:+IgnoreUnrecognizedVMOptions".to_owned(),
        "-XX:FreqInlineSize=100".to_owned(),
    ];
    if processors <= 2 {
        options.push("-XX:+UseSerialGC".to_owned());
    } else {
        options.push("-XX:+UseG1GC".to_owned());
        // The processors are there for the load.
        options.push(format!("-XX:ParallelGCThreads={}", (processors / 4).max(2)));
    }
    if let Some(archive) = archive {
        options.push(format!("-XX:SharedArchiveFile={}", archive.display()));
    }
    options.extend(OPENED.map(|package| format!("--add-opens=java.base/java.{package}=ALL-UNNAMED")));
    options
}
