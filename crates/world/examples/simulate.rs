//! Runs worlds of a swarm for a time, or one world again: `make simulate SECONDS=60 SEED=1`.
//!
//! ```text
//! simulate swarm SECONDS [SEED [KIND]]  worlds of the seeds from SEED on; the first that fails is shrunk and printed
//! simulate seed SEED                    the world of one seed
//! simulate world FILE                   the world of a file, as a failing swarm prints it
//! ```

use std::process::ExitCode;
use std::time::{Duration, Instant};

use swell_world::{KindCount, WorldOptions, fails_alike, shrink, swarm_of};

fn main() -> ExitCode {
    // A panic in a world is reported with the world.
    std::panic::set_hook(Box::new(|_| {}));
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["swarm", seconds] => swarm_for(seconds, "1", None),
        ["swarm", seconds, seed] => swarm_for(seconds, seed, None),
        ["swarm", seconds, seed, kind] => swarm_for(seconds, seed, Some(kind)),
        ["seed", seed] => number(seed).map(|seed| one(&WorldOptions::drawn(seed))),
        ["world", file] => read(file).map(|options| one(&options)),
        _ => Err("expected: swarm SECONDS [SEED], seed SEED, or world FILE".to_owned()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn number(text: &str) -> Result<u64, String> {
    // A world is written as TOML, whose numbers end there.
    let most = i64::MAX as u64;
    let number = text.parse().ok().filter(|number| *number <= most);
    number.ok_or_else(|| format!("invalid number `{text}`: expected 0 to {most}"))
}

fn read(file: &str) -> Result<WorldOptions, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("cannot read {file}: {error}"))?;
    toml::from_str(&text).map_err(|error| format!("{file} is not a world: {error}"))
}

/// Whether all worlds hold.
fn swarm_for(seconds: &str, seed: &str, kind: Option<&str>) -> Result<bool, String> {
    let length = Duration::from_secs(number(seconds)?);
    let first = number(seed)?;
    let began = Instant::now();
    let all = swarm_of(kind, first, |_| began.elapsed() < length);
    println!("{} worlds in {:.1} s, {} of them twice", all.worlds, began.elapsed().as_secs_f64(), all.twice);
    for KindCount { kind, worlds, checked: (all, expected) } in &all.kinds {
        println!("  {kind}: {worlds} worlds, {all} samples, {expected} of them as without faults");
    }
    let Some((options, wrong)) = all.failed else { return Ok(true) };
    println!("the world of seed {} fails:\n{}", options.seed(), wrong.join("\n"));
    let small = shrink(&options, |options| fails_alike(options, &wrong));
    println!(
        "the smallest that fails in the same way:\n\n{}\n{}",
        small.to_text(),
        small.run().wrong.join("\n")
    );
    Ok(false)
}

fn one(options: &WorldOptions) -> bool {
    println!("{}", options.to_text());
    let result = options.run();
    let [trace, rows] = result.hashes;
    println!("trace {trace:016x}, rows {rows:016x}");
    println!("{} samples, {} of them as without faults", result.checked.0, result.checked.1);
    result.said.iter().for_each(|line| println!("  {line}"));
    println!("{}", result.wrong.join("\n"));
    result.wrong.is_empty()
}
