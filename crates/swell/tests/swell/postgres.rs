//! The example of a database, against a PostgreSQL that the test starts: where its programs or its
//! driver are missing, it says so and passes.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use swell_jvm::hosted::Classes;
use swell_jvm::{ClassPath, JMeterHome};

use crate::support::{Folder, Jtl, jmeter};

/// The folder of PostgreSQL's programs: that of `initdb` on the path, else of Debian's package.
fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let debian = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let debian = debian.map(|version| version.path().join("bin"));
    let found = debian.chain(std::env::split_paths(&path)).find(|folder| folder.join("initdb").is_file());
    if found.is_none() {
        println!("skipped: PostgreSQL is not installed (`apt install postgresql`)");
    }
    found
}

/// A server on loopback; ends with the test.
struct Server {
    programs: PathBuf,
    folder: tempfile::TempDir,
    port: u16,
    /// It refuses to run for the superuser, so it runs for this user.
    user: Option<&'static str>,
}

impl Server {
    /// None, with the reason printed, where it cannot be started.
    fn start() -> Option<Self> {
        let programs = programs()?;
        let folder = tempfile::tempdir().expect("a folder");
        let is_root =
            std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
        let user = is_root.then_some("postgres");
        if let Some(user) = user {
            let given = Command::new("chown").arg(user).arg(folder.path()).output();
            if !given.is_ok_and(|given| given.status.success()) {
                println!("skipped: PostgreSQL does not run for the superuser, and there is no user {user}");
                return None;
            }
        }
        let mut server = Self { programs, folder, port: 0, user };
        let data = server.data();
        let made = server.run(
            "initdb",
            &["-D", &data, "-A", "trust", "-U", "swell", "--no-sync", "-E", "UTF8", "--locale=C"],
        );
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        // It has to be told a port, which another program may take meanwhile.
        let has_started = (0..10).any(|_| {
            server.port = free_port();
            server.starts(&data)
        });
        assert!(has_started, "{}", std::fs::read_to_string(server.log()).unwrap_or_default());
        Some(server)
    }

    fn starts(&self, data: &str) -> bool {
        let options = format!("-h 127.0.0.1 -p {} -F -k {}", self.port, self.folder.path().display());
        self.run("pg_ctl", &["-D", data, "-l", &self.log(), "-w", "-o", &options, "start"]).status.success()
    }

    fn log(&self) -> String {
        self.folder.path().join("log").to_string_lossy().into_owned()
    }

    fn data(&self) -> String {
        self.folder.path().join("data").to_string_lossy().into_owned()
    }

    fn run(&self, program: &str, args: &[&str]) -> Output {
        let program = self.programs.join(program);
        let mut command = match self.user {
            Some(user) => {
                let mut command = Command::new("runuser");
                command.args(["-u", user, "--"]).arg(program);
                command
            }
            None => Command::new(program),
        };
        command.args(args).current_dir("/").stdin(std::process::Stdio::null());
        command.output().expect("it can be started")
    }
}

/// A port that was free a moment ago.
fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
    listener.local_addr().expect("bound").port()
}

impl Drop for Server {
    fn drop(&mut self) {
        self.run("pg_ctl", &["-D", &self.data(), "-m", "immediate", "stop"]);
    }
}

#[test]
fn the_example_of_a_database_runs_against_postgresql() {
    if jmeter().is_none() {
        return;
    }
    let home = JMeterHome::find(None).expect("it was found by now");
    if !Classes::of(&ClassPath::of(&home)).has("org.postgresql.Driver") {
        println!("skipped: no driver (`swell jvm install org.postgresql:postgresql:42.7.3` fetches it)");
        return;
    }
    let Some(server) = Server::start() else { return };
    let folder = Folder::new();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/jdbc.jmx");
    let example = example.to_string_lossy();
    let url = format!("-Jurl=jdbc:postgresql://127.0.0.1:{}/postgres", server.port);
    let database = ["-Jdriver=org.postgresql.Driver", "-Juser=swell", "-Jseries=generate_series"];
    let args = [&["run", &example, "-l", "out.jtl", &url][..], &database].concat();
    let ended = folder.swell(&args).exits(0);
    let rows = Jtl::parse(&folder.read("out.jtl"));
    for (label, wanted) in [("create", 1), ("fill", 1), ("look", 50), ("sold", 1), ("drop", 1)] {
        assert_eq!(rows.count("label", label), wanted, "{label}: {ended}");
    }
    assert_eq!(rows.count("success", "true"), rows.len(), "{ended}");
}
