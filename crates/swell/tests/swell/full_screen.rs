//! The full-screen view, on a pseudo terminal whose screen is read.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::num::NonZero;
use std::process::{Child, Command};
use std::sync::mpsc::{self, Receiver};
use std::time::Instant;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::support::{Folder, LIMIT, plan};

/// A command on a separate terminal.
struct Terminal {
    child: Child,
    keys: File,
    bytes: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    deadline: Instant,
}

const SIZE: (u16, u16) = (30, 110);

impl Terminal {
    fn start(folder: &Folder, args: &[&str]) -> Self {
        Self::start_at(SIZE, folder, args)
    }

    /// The same with that many rows and columns.
    fn start_at((ws_row, ws_col): (u16, u16), folder: &Folder, args: &[&str]) -> Self {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo terminal");
        grantpt(&controller).and_then(|()| unlockpt(&controller)).expect("it is ours");
        let name = ptsname(&controller, Vec::new()).expect("it has a name");
        tcsetwinsize(&controller, Winsize { ws_row, ws_col, ws_xpixel: 0, ws_ypixel: 0 }).expect("a size");
        let user =
            File::options().read(true).write(true).open(name.to_str().expect("text")).expect("the other end");
        let stream = || user.try_clone().expect("a descriptor");
        let child = Command::new(env!("CARGO_BIN_EXE_swell"))
            .args(args)
            .current_dir(folder.path())
            .env("SWELL_RUNS", "off")
            .env("TERM", "xterm-256color")
            .stdin(stream())
            .stdout(stream())
            .stderr(stream())
            .spawn()
            .expect("the binary starts");
        drop(user);
        let keys = File::from(controller);
        let mut reader = keys.try_clone().expect("a descriptor");
        let (sender, bytes) = mpsc::channel();
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            // The end of the last program at the other end is an error (EIO).
            while let Ok(length @ 1..) = reader.read(&mut piece) {
                if sender.send(piece[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        let size = |cells| NonZero::new(cells).expect("more than none");
        let screen = vt100::Parser::new(size(ws_row), size(ws_col), 0);
        Self { child, keys, bytes, screen, deadline: Instant::now() + LIMIT }
    }

    fn text(&self) -> String {
        self.screen.screen().contents()
    }

    /// Waits until the screen is so.
    #[track_caller]
    fn wait_until(&mut self, what: &str, is_so: impl Fn(&vt100::Screen) -> bool) {
        while !is_so(self.screen.screen()) {
            let left = self.deadline.saturating_duration_since(Instant::now());
            match self.bytes.recv_timeout(left) {
                Ok(bytes) => self.screen.process(&bytes),
                Err(error) => panic!("{what}: {error}; the screen is\n{}", self.text()),
            }
        }
    }

    #[track_caller]
    fn wait_for(&mut self, text: &str) {
        self.wait_until(text, |screen| screen.contents().contains(text));
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("it listens");
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("sh")
            .args(["-c", "kill -s \"$0\" \"$1\"", name, &self.child.id().to_string()])
            .status();
        assert!(sent.expect("a shell").success());
    }

    /// Its exit status, and what the screen shows then: the view has given it back.
    fn end(self) -> (Option<i32>, String) {
        let (code, screen) = self.last_screen();
        assert!(
            !screen.alternate_screen() && !screen.hide_cursor(),
            "the terminal is as it was: {}",
            screen.contents()
        );
        (code, screen.contents())
    }

    /// Its exit status, and the screen at its end.
    fn last_screen(mut self) -> (Option<i32>, vt100::Screen) {
        while let Ok(bytes) = self.bytes.recv_timeout(self.deadline.saturating_duration_since(Instant::now()))
        {
            self.screen.process(&bytes);
        }
        let code = self.child.wait().expect("it is our child").code();
        (code, self.screen.screen().clone())
    }
}

/// A test that fails leaves no process behind.
impl Drop for Terminal {
    fn drop(&mut self) {
        // It may be over already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_end_of_a_small_run_is_at_most_15_lines_of_80_columns() {
    let folder = Folder::with_plan([plan::group(1, 20).with(plan::nap(1)).with(plan::get_from(
        "127.0.0.1",
        "1",
        "/a/very/long/path/of/a/request/that/does/not/fit/into/a/column?of=the&table=1",
        "",
    ))]);
    let rules = ["--threshold", "max<30s", "--threshold", "errors<1%"];
    let args = [&["run", "plan.jmx", "-Jsummariser.name="][..], &rules].concat();
    let (code, screen) = Terminal::start_at((60, 80), &folder, &args).last_screen();
    let text = screen.contents();
    assert_eq!(code, Some(99), "{text}");
    let lines: Vec<_> = screen.rows(0, 80).collect();
    let from = lines.iter().position(|line| line.contains(": 50 % failed")).expect("a headline");
    let to = lines.iter().position(|line| line.starts_with("Measurement: ")).expect("a last line");
    assert!(to - from < 15, "{text}");
    let is_wrapped = (from..lines.len()).any(|row| screen.row_wrapped(u16::try_from(row).expect("60 rows")));
    assert!(!is_wrapped, "{text}");
    for part in ["thresholds FAILED: 1 of 2", "connection refused by 127.0.0.1:1", "nap ", "TOTAL "] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// A plan whose users nap until they are stopped.
fn endless() -> Folder {
    Folder::with_plan([plan::group(2, -1).with(plan::nap(5))])
}

#[test]
fn the_view_shows_a_run_and_its_keys_change_it() {
    let folder = endless();
    let mut terminal = Terminal::start(&folder, &["run", "plan.jmx", "--tui", "--run-dir", "kept"]);
    terminal.wait_until("users", |screen| {
        screen.alternate_screen() && screen.contents().contains("users    2 of 2")
    });
    terminal.wait_for("Measurement so far");
    for part in ["Samples a second", "Labels, times in ms", "Errors by kind", "last 10 s", "busiest worker"] {
        assert!(terminal.text().contains(part), "{part}\n{}", terminal.text());
    }
    terminal.press("+");
    terminal.wait_for("set to 3");
    terminal.wait_for("users    3 of 3");
    terminal.press("p");
    terminal.wait_for("PAUSED");
    terminal.press("p");
    terminal.wait_until("the run continues", |screen| !screen.contents().contains("PAUSED"));
    terminal.press("s");
    terminal.wait_for("Stop the test?");
    terminal.press("n");
    terminal.wait_for("q leave view");
    terminal.press("s");
    terminal.wait_for("Stop the test?");
    terminal.press("y");
    let (code, text) = terminal.end();
    assert!(code == Some(0) && text.contains("The run is kept"), "{code:?}\n{text}");
    let journal = folder.read("kept/events.ndjson");
    for text in ["set to 3", "paused", "resumed", "stopped: running samples finish", "terminal"] {
        assert!(journal.contains(text), "{text} is not in {journal}");
    }
}

#[test]
fn who_leaves_the_view_sees_the_line_of_progress() {
    let folder = endless();
    let mut terminal = Terminal::start(&folder, &["run", "plan.jmx", "--tui"]);
    terminal.wait_for("users    2");
    terminal.press("q");
    terminal.wait_until("the line of progress", |screen| {
        let text = screen.contents();
        !screen.alternate_screen()
            && text.contains("users 2/2")
            && text.contains("p50 ")
            && text.contains("p99 ")
    });
    terminal.signal("INT");
    assert_eq!(terminal.end().0, Some(105));
}

#[test]
fn the_terminal_is_given_back_after_a_signal_and_after_ctrl_c() {
    for by_key in [true, false] {
        let folder = endless();
        let mut terminal = Terminal::start(&folder, &["run", "plan.jmx", "--tui"]);
        terminal.wait_for("users    2");
        if by_key {
            terminal.press("\u{3}");
        } else {
            terminal.signal("TERM");
        }
        let (code, text) = terminal.end();
        assert!(code == Some(105) && text.contains("Measurement: "), "{code:?}\n{text}");
    }
}

#[test]
fn without_a_terminal_lines_are_shown_and_it_is_said() {
    let folder = Folder::with_plan([plan::group(1, 1).with(plan::nap(0))]);
    let ended = folder.swell(&["run", "plan.jmx", "--tui"]).exits(0);
    ended.says(&["--tui: standard error is not a terminal; lines are shown"]).prints(&["summary ="]);
}
