//! `swell matrix`: load generators side by side. Tools here are scripts that write what the real
//! ones wrote once.

use std::os::unix::fs::PermissionsExt;

use crate::support::Folder;

/// A program that asks for its URL once, by bash's own sockets, and prints a recorded answer.
fn tool(folder: &Folder, name: &str, recorded: &str) -> String {
    let recorded = format!("{}/../study/src/matrix/recorded/{recorded}", env!("CARGO_MANIFEST_DIR"));
    let script = "#!/bin/bash\nurl=${@: -1}; rest=${url#http://}; at=${rest%%/*}; exec 3<>/dev/tcp/${at%%:*}/${at##*:} || exit 1\n\
         printf 'GET /%s HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n' \"${rest#*/}\" >&3; cat <&3 >/dev/null\n";
    folder.write(name, format!("{script}cat '{recorded}'\n"));
    std::fs::set_permissions(folder.at(name), std::fs::Permissions::from_mode(0o755))
        .expect("made a program");
    format!("{}={name}", name.trim_start_matches("my-"))
}

#[test]
fn tools_stand_beside_the_record_of_the_site() {
    let folder = Folder::new();
    let wrk = tool(&folder, "my-wrk", "wrk.txt");
    let siege = tool(&folder, "my-siege", "siege.json");
    let args = [
        "matrix",
        "--tools",
        "swell,wrk,siege,grinder",
        "--program",
        &wrk,
        "--program",
        &siege,
        "--rtt",
        "10ms",
        "--users",
        "20",
        "-d",
        "1s",
        "--rounds",
        "1",
        "-o",
        "out",
    ];
    let ended = folder.swell(&args).exits(0);
    let ended =
        ended.prints(&["response delay 10 ms, 20 users", "error of mean", "grinder not found: Java 8"]);
    ended.says(&["3 of 3: "]);
    let kept: serde_json::Value = serde_json::from_str(&folder.read("out/matrix.json")).expect("JSON");
    let runs = kept["runs"].as_array().expect("runs");
    let of = |name: &str| runs.iter().find(|run| run["tool"] == name).expect("it was run");
    assert_eq!(
        (&of("wrk")["said"]["per_s"], &of("wrk")["truth"]["requests"]),
        (&1421.76.into(), &1.0.into())
    );
    // What siege does not say is unknown, and Swell was on this many connections.
    assert!(of("siege")["said"]["p99_ms"].is_null(), "{kept}");
    assert_eq!(of("swell")["truth"]["connections"], 20.0, "{kept}");
    assert_eq!(of("swell")["said"]["requests"], of("swell")["truth"]["requests"], "{kept}");
    assert!(of("swell")["used"]["rss_peak_bytes"].as_u64() > Some(0), "{kept}");
    assert_eq!(folder.read("out/matrix.csv").lines().count(), 4);
    assert!(folder.report("out/index.html").contains("Load generators side by side"));
    folder.swell(&args).refused(&["`out` has a matrix already"]);
}

#[test]
fn a_tool_that_fails_is_told_by_its_last_words() {
    let folder = Folder::new();
    folder.write("hey", "#!/bin/sh\necho too many open files >&2\nexit 3\n");
    std::fs::set_permissions(folder.at("hey"), std::fs::Permissions::from_mode(0o755))
        .expect("made a program");
    let args = [
        "matrix",
        "--tools",
        "hey",
        "--program",
        "hey=hey",
        "--rtt",
        "1ms",
        "--users",
        "1",
        "-d",
        "1s",
        "--rounds",
        "1",
    ];
    folder.swell(&args).exits(98).prints(&["hey: too many open files"]);
}

#[test]
fn tools_are_listed_and_mistakes_told() {
    let folder = Folder::new();
    folder
        .swell(&["matrix", "--list"])
        .exits(0)
        .prints(&["npm install -g artillery", "then --program gatling=/usr/bin/mvn"]);
    for (args, why) in [
        (&["--tools", "boom"][..], "unknown tool `boom`"),
        (&["--tools", "grinder"], "none of these tools is here"),
        (&["--program", "wrk"], "`wrk` names no program"),
        (&["--program", "wrk=none"], "program not found: `"),
        (&["--tools", "swell", "-d", "1500ms"], "a run takes whole seconds"),
        (&["--tools", "swell", "--users", "0"], "0 is not in 1..="),
        (&["--tools", "swell", "--rtt", "soon"], "invalid time `soon`"),
    ] {
        let args: Vec<_> = ["matrix"].iter().chain(args).copied().collect();
        folder.swell(&args).exits(104).says(&[why]);
    }
}
