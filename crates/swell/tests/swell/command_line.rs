//! What is around the commands: help, completions, man pages, colours.

use crate::support::{Answer, Call, Folder, Server, closed_port};

const ESCAPE: char = '\u{1b}';

#[test]
fn help_of_a_command_is_asked_for_in_either_way() {
    let folder = Folder::new();
    let texts = ["hit", "run", "completions"].map(|command| {
        let asked = folder.swell(&["help", command]).exits(0).out;
        assert_eq!(asked, folder.swell(&[command, "--help"]).exits(0).out);
        asked
    });
    assert!(texts[0].contains("--users <USERS>") && texts[1].contains("--testfile <PLAN>"));
    folder.swell(&["help"]).exits(0).prints(&["Commands:", "Examples:"]);
    folder.swell(&["help", "nosuch"]).refused(&["nosuch"]);
}

#[test]
fn shells_are_given_completions() {
    let folder = Folder::new();
    for (shell, text) in
        [("bash", "complete -F _swell"), ("zsh", "#compdef swell"), ("fish", "complete -c swell")]
    {
        let ended =
            folder.swell(&["completions", shell]).exits(0).prints(&[text, "connect-to", "jmeterproperty"]);
        assert_eq!(ended.err, "");
        folder.write(shell, &ended.out);
    }
    // Bash itself completes an option by it.
    let ask = "type complete >/dev/null 2>&1 || exit 7; . ./bash; COMP_WORDS=(swell hit --connect-); COMP_CWORD=2; \
               _swell swell --connect- hit; echo \"${COMPREPLY[@]}\"";
    let answer = std::process::Command::new("bash").args(["-c", ask]).current_dir(folder.path()).output();
    match answer {
        Ok(answer) if answer.status.code() != Some(7) => {
            assert_eq!(String::from_utf8_lossy(&answer.stdout).trim(), "--connect-to", "{answer:?}");
        }
        _ => println!("skipped: there is no bash that completes"),
    }
    folder.swell(&["completions", "cmd"]).refused(&["cmd", "bash", "zsh", "fish"]);
}

#[test]
fn there_is_a_man_page_of_all_and_of_each_command() {
    let folder = Folder::new();
    folder.swell(&["man"]).exits(0).prints(&[".TH swell 1", ".SH SUBCOMMANDS", "swell\\-hit(1)"]);
    // dist/build.sh packs the pages that the first one names.
    let first = folder.swell(&["man"]).out;
    let named = first.lines().filter_map(|line| line.strip_prefix("swell\\-")?.strip_suffix("(1)"));
    let named: Vec<_> = named.collect();
    assert!(named.contains(&"search") && named.len() > 20, "{named:?}");
    for command in named {
        folder.swell(&["man", command]).exits(0).prints(&[&format!(".TH swell-{command} 1")]);
    }
    for page in [&["man"][..], &["man", "hit"]] {
        let page = folder.swell(page).exits(0).out;
        let title = page.lines().find(|line| line.starts_with(".TH ")).expect("a title");
        // The title is one line, whatever `--version` says in how many.
        let version = format!("\"swell {}\" ", env!("CARGO_PKG_VERSION"));
        assert!(title.trim_end().ends_with(version.trim_end()), "{title}");
    }
    folder.swell(&["man", "hit"]).exits(0).prints(&[".TH swell-hit 1", "\\-\\-unix", ".SH EXTRA"]);
    folder.swell(&["man", "nosuch"]).refused(&["unknown command `nosuch`", "hint: commands are `run`, "]);
}

#[test]
fn colours_are_for_terminals_and_for_those_who_want_them() {
    let server = Server::start(|_| Answer::ok("ok"));
    let folder = Folder::new();
    let at = server.addr.to_string();
    let colours = |args: &[&str]| {
        let ended = folder.swell(args);
        [ended.out.contains(ESCAPE), ended.err.contains(ESCAPE)]
    };
    let hit = ["hit", &*at, "-n", "3"];
    assert_eq!(colours(&hit), [false, false], "no terminal");
    assert_eq!(colours(&[&hit[..], &["--color", "always"]].concat()), [true, false]);
    assert_eq!(colours(&[&["--color=always"][..], &hit].concat()), [true, false]);
    assert_eq!(
        colours(&[&["--color", "always"][..], &hit, &["--json"]].concat()),
        [false, false],
        "for a machine"
    );
    assert_eq!(colours(&["hit", "ftp://x", "--color", "always"]), [false, true]);
    assert_eq!(colours(&["--help", "--color", "always"]), [true, false]);
    folder.swell(&["hit", &at, "--color", "pink"]).refused(&["pink", "auto", "always", "never"]);
}

#[test]
fn a_terminal_shows_colours_unless_the_environment_wants_none() {
    let folder = Folder::new();
    let line = format!("{} hit 127.0.0.1:{} -n 1", env!("CARGO_BIN_EXE_swell"), closed_port());
    let on_terminal = |name: &str, value: &str| {
        let args = ["-qec", &*line, "/dev/null"];
        Call::shell(folder.path(), "script", &args)
            .env("TERM", "xterm")
            .env("NO_COLOR", "")
            .env(name, value)
            .run()
    };
    if !std::process::Command::new("script")
        .arg("--version")
        .output()
        .is_ok_and(|found| found.status.success())
    {
        println!("skipped: there is no `script`, which makes a terminal");
        return;
    }
    for (name, value, wanted) in [("NO_COLOR", "", true), ("NO_COLOR", "1", false), ("TERM", "dumb", false)] {
        let ended = on_terminal(name, value);
        assert!(ended.out.contains("Measurement: "), "{ended}");
        assert_eq!(ended.out.contains("\u{1b}[1;"), wanted, "{name}={value}: {ended}");
    }
}
