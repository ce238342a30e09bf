//! `nats-server`: where it is, how it is installed, and one that runs for a test.

mod program;
mod settings;

use std::fs;
use std::io::Read as _;
use std::net::IpAddr;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use data_encoding::HEXLOWER;
use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};
use swell_net::reachable;

use crate::run_id::secret;
use crate::{FleetError, Join, Scratch};

use settings::config;

pub use program::{OLDEST, VARIABLE, find, install, install_folder};
pub(crate) use program::{is_new_enough, version_of};
pub(crate) use settings::{names_of_agents, user_of_agent};

/// How long it may take to start.
const START: Duration = Duration::from_secs(15);

/// A broker that runs as a child. It ends with this value, and with this process.
pub struct Broker {
    child: Arc<Mutex<BrokerProcess>>,
    /// How the controller enters.
    pub controller: Join,
    /// Users for agents: each agent has a separate credential, and cannot send as another. The last
    /// is for all agents that join later.
    pub agents: Vec<Join>,
    folder: PathBuf,
    /// The same, where it goes with the broker.
    _scratch: Option<Scratch>,
}

/// The process of a broker, which is started again if it ends by itself.
struct BrokerProcess {
    child: Child,
    ends: bool,
}

/// How often is looked whether a broker still runs.
const LOOK: Duration = Duration::from_millis(200);

/// How a broker is started.
#[derive(Clone, Debug)]
pub struct BrokerOptions {
    /// The program.
    pub program: PathBuf,
    /// Where it listens; other than the loopback it is encrypted.
    pub listen: IpAddr,
    /// Its port; 0: a free one.
    pub port: u16,
    /// Where it keeps unread messages; none: in a separate folder that is removed with it.
    pub store: Option<PathBuf>,
    /// The run.
    pub run: String,
    /// How many agents get a separate credential.
    pub agents: usize,
    /// Agents take part in any run there, one after the other, not only in that one: those of one
    /// study.
    pub serves_many: bool,
    /// How agents on other machines reach this one, where that is not the address it listens at.
    pub advertise: Option<String>,
}

impl Broker {
    /// Starts one.
    ///
    /// # Errors
    /// It cannot be started, or ends at once; the text has what it said.
    pub fn start(options: &BrokerOptions) -> Result<Self, FleetError> {
        let place = options.store.clone().unwrap_or_else(std::env::temp_dir);
        let cannot = |what: &str, error: &dyn std::fmt::Display| {
            FleetError::new(format!("cannot {what} for the broker in `{}`: {error}", place.display()))
        };
        let scratch = match &options.store {
            Some(store) => private_folder(store).map(|()| None),
            None => Scratch::new(&place, "nats", &options.run).map(Some),
        };
        let scratch = scratch.map_err(|error| cannot("create a folder", &error))?;
        let folder = scratch.as_ref().map_or(&*place, Scratch::path).to_owned();
        let tls = (!options.listen.is_loopback()).then(|| certificate(&folder)).transpose();
        let tls = tls.map_err(|error| cannot("write the certificate", &error))?;
        let of_controller = secret();
        let of_agents: Vec<_> = names_of_agents(options.agents).map(|user| (user, secret())).collect();
        let text = config(options, &folder, tls.is_some(), &of_controller, &of_agents);
        let path = folder.join("nats.conf");
        fs::write(&path, text).map_err(|error| cannot("write the configuration", &error))?;
        let child =
            spawn(&options.program, &folder, 0).map_err(|error| cannot("start nats-server", &error))?;
        let host = |join_host: Option<&String>| {
            join_host.cloned().unwrap_or_else(|| reachable(options.listen).to_string())
        };
        let join = |user: &str, password: String, host: String| Join {
            host,
            port: 0,
            user: Some((user.to_owned(), password)),
            creds: None,
            tls: tls.is_some(),
            certificate: tls.clone(),
            run: Some(options.run.clone()).filter(|_| !options.serves_many),
        };
        let own =
            if options.listen.is_unspecified() { "127.0.0.1".to_owned() } else { options.listen.to_string() };
        let reached = host(options.advertise.as_ref());
        let mut broker = Self {
            controller: join("controller", of_controller, own),
            agents: of_agents
                .into_iter()
                .map(|(user, password)| join(&user, password, reached.clone()))
                .collect(),
            child: Arc::new(Mutex::new(BrokerProcess { child, ends: false })),
            folder,
            _scratch: scratch,
        };
        let port = broker.wait_for_port()?;
        broker.controller.port = port;
        broker.agents.iter_mut().for_each(|agent| agent.port = port);
        broker.keep_alive(options.program.clone(), port);
        Ok(broker)
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.lock().child.id()
    }

    /// Starts it again where it ends by itself, with the same port and what it kept.
    fn keep_alive(&self, program: PathBuf, port: u16) {
        let running = self.child.clone();
        let folder = self.folder.clone();
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(LOOK);
                let mut running = running.lock();
                if running.ends {
                    return;
                }
                if matches!(running.child.try_wait(), Ok(Some(_)))
                    && let Ok(child) = spawn(&program, &folder, port)
                {
                    running.child = child;
                }
            }
        });
    }

    /// The server says which port it has in a file.
    fn wait_for_port(&mut self) -> Result<u16, FleetError> {
        let file = self.folder.join(format!("nats-server_{}.ports", self.pid()));
        let began = Instant::now();
        while began.elapsed() < START {
            if let Some(port) = fs::read_to_string(&file).ok().and_then(|text| port_of(&text)) {
                return Ok(port);
            }
            let ended = self.child.lock().child.try_wait();
            if let Ok(Some(status)) = ended {
                let said = last_line(&self.folder.join("nats.log"));
                let said = if said.is_empty() { "it printed nothing" } else { &said };
                return Err(FleetError::new(format!("nats-server exited at startup ({status}): {said}")));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Err(FleetError::new(format!("nats-server did not start within {} s", START.as_secs())))
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        let mut running = self.child.lock();
        running.ends = true;
        // One that is gone needs no end, and its exit status does not matter.
        let pid = rustix::process::Pid::from_child(&running.child);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        let began = Instant::now();
        while !matches!(running.child.try_wait(), Ok(Some(_))) && began.elapsed() < Duration::from_secs(3) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = running.child.kill();
        let _ = running.child.wait();
    }
}

/// Starts the program with the settings in that folder; `port`: that one instead of what the
/// settings say.
fn spawn(program: &Path, folder: &Path, port: u16) -> std::io::Result<Child> {
    let log = fs::OpenOptions::new().create(true).append(true).open(folder.join("nats.log"))?;
    let mut command = Command::new(program);
    command.arg("-c").arg(folder.join("nats.conf")).arg("--ports_file_dir").arg(folder);
    if port != 0 {
        command.arg("-p").arg(port.to_string());
    }
    // Ctrl-C goes to all processes of a group: the last figures have to come through.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).process_group(0);
    let child = command.spawn()?;
    watch_over(&child);
    Ok(child)
}

/// A process that watches this one, and ends the broker when this one is gone, however it ended:
/// the broker itself cannot be asked to.
fn watch_over(child: &Child) {
    let script = "while read -r line; do :; done; kill \"$1\" 2>/dev/null";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, "swell-nats-watch", &child.id().to_string()]);
    shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    // Its input ends with this process, since no other process has the other end. Without a shell a
    // broker may be left running.
    if let Ok(mut watcher) = shell.spawn() {
        std::mem::forget(watcher.stdin.take());
    }
}

fn private_folder(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// A new certificate, in two files. Returns its SHA-256, hexadecimal.
fn certificate(folder: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let made = rcgen::generate_simple_self_signed(vec!["swell".to_owned()])?;
    fs::write(folder.join("cert.pem"), made.cert.pem())?;
    fs::write(folder.join("key.pem"), made.signing_key.serialize_pem())?;
    Ok(HEXLOWER.encode(&Sha256::digest(made.cert.der())))
}

/// The port in a file of ports: `{"nats":["nats://127.0.0.1:40000"], …}`.
fn port_of(text: &str) -> Option<u16> {
    let ports: serde_json::Value = serde_json::from_str(text).ok()?;
    let first = ports.get("nats")?.get(0)?.as_str()?;
    first.rsplit(':').next()?.trim_end_matches('/').parse().ok()
}

fn last_line(path: &Path) -> String {
    let mut text = String::new();
    // Without a log there is nothing to tell.
    let _ = fs::File::open(path).and_then(|mut file| file.read_to_string(&mut text));
    text.lines().last().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the server says to a message from an agent to that subject.
    fn answer(join: &Join, subject: &str) -> String {
        use std::io::{BufRead as _, BufReader, Write as _};
        let stream = std::net::TcpStream::connect((&*join.host, join.port)).expect("it listens");
        let (user, password) = join.user.clone().expect("it has a password");
        let connect = format!(
            r#"CONNECT {{"verbose":true,"pedantic":false,"headers":true,"user":"{user}","pass":"{password}"}}"#
        );
        let mut writer = stream.try_clone().expect("a socket");
        write!(writer, "{connect}\r\nPUB {subject} 0\r\n\r\nPING\r\n").expect("written");
        let lines = BufReader::new(stream).lines().map_while(Result::ok);
        let said: Vec<_> = lines.skip(1).take_while(|line| line != "PONG").collect();
        said.join(" ")
    }

    #[test]
    fn agents_make_no_streams_take_no_leases_away_and_replace_no_plan() {
        let Ok(program) = find(None) else {
            return println!("skipped: nats-server not found; `swell fleet install` installs it (needs Go)");
        };
        for serves_many in [false, true] {
            let run = crate::run_id(u64::from(serves_many));
            let options = BrokerOptions {
                program: program.clone(),
                listen: IpAddr::from([127, 0, 0, 1]),
                port: 0,
                store: None,
                run: run.clone(),
                agents: 2,
                serves_many,
                advertise: None,
            };
            let broker = Broker::start(&options).expect("it starts");
            let manifest = data_encoding::BASE64URL.encode(b"manifest.json");
            let forbidden = [
                format!("$JS.API.STREAM.CREATE.SW_{run}_X"),
                format!("$JS.API.STREAM.DELETE.SW_{run}_M"),
                format!("$JS.API.STREAM.PURGE.SW_{run}_WORK"),
                format!("$JS.API.STREAM.RESTORE.SW_{run}_X"),
                format!("$O.sw_{run}.M.{manifest}"),
                format!("sw.{run}.down.log"),
                format!("sw.{run}.work.0"),
                "sw.runs".to_owned(),
                format!("sw.{run}.up.hb.agent2"),
                format!("sw.{run}.up.m.agent2"),
                format!("sw.{run}.up.r.later"),
                format!("sw.{run}.up.claim.agent2"),
                format!("sw.{run}.up.claim"),
                format!("$O.sw_{run}.C.x"),
                "_INBOX.agent2.x".to_owned(),
            ];
            // On the loopback, for all runs of a study, names of streams cannot be told apart.
            let of_one_run = [
                format!("$JS.API.CONSUMER.DELETE.SW_{run}_WORK.agents"),
                format!("$JS.API.CONSUMER.CREATE.SW_{run}_M"),
                "sw.another.up.claim.agent".to_owned(),
            ];
            for subject in forbidden.iter().chain(of_one_run.iter().filter(|_| !serves_many)) {
                let said = answer(&broker.agents[0], subject);
                assert!(said.contains("Permissions Violation for Publish"), "{subject}: {said}");
            }
            for (agent, speaker) in broker.agents.iter().zip(["agent", "agent2", "later"]) {
                let subject = format!("sw.{run}.up.claim.{speaker}");
                assert_eq!(answer(agent, &subject), "+OK +OK", "{subject}");
            }
            assert_eq!(answer(&broker.controller, &format!("sw.{run}.down.log")), "+OK +OK");
        }
    }

    #[test]
    fn the_port_stands_in_a_file() {
        assert_eq!(port_of(r#"{"nats":["nats://127.0.0.1:40000"]}"#), Some(40000));
        assert_eq!(port_of("{}"), None);
    }
}
