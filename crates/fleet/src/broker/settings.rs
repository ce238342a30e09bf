//! The settings of `nats-server`: its users, and what each may publish and read.

use std::path::Path;

use super::BrokerOptions;

/// What an agent may publish, and what it may hear, as lists of a configuration.
struct Permissions {
    allowed: String,
    heard: String,
}

/// An agent of one run, or of any run of a study on this machine, that sends under that name. It
/// cannot create or change streams, send a plan to others, or read answers to others.
fn permissions(run: &str, serves_many: bool, speaker: &str) -> Permissions {
    // In a subject, `*` matches a whole token.
    let of = |name: String| if serves_many { "*".to_owned() } else { name };
    let runs = of(run.to_owned());
    let work = of(format!("SW_{run}_WORK"));
    let log = of(format!("SW_{run}_C"));
    let objects = of(format!("OBJ_sw_{run}"));
    let rows = of(format!("SW_{run}_R"));
    let api = |what: &str| format!("$JS.API.{what}");
    let mut allowed: Vec<_> =
        ["hb", "m", "r", "claim"].map(|what| format!("sw.{runs}.up.{what}.{speaker}")).into();
    allowed.extend([format!("sw.{runs}.up.clock"), "$JS.ACK.>".to_owned(), "$JS.FC.>".to_owned()]);
    allowed.push(api("INFO"));
    allowed.extend([&work, &log, &objects, &rows].map(|stream| api(&format!("STREAM.INFO.{stream}"))));
    // Slices are taken by the consumer that the controller has made.
    allowed.extend(["INFO", "MSG.NEXT"].map(|what| api(&format!("CONSUMER.{what}.{work}.agents"))));
    for stream in [&log, &objects] {
        let consumer = |what: &str| api(&format!("CONSUMER.{what}.{stream}.>"));
        allowed.extend(["CREATE", "INFO", "DELETE", "MSG.NEXT"].map(consumer));
        allowed.push(api(&format!("CONSUMER.CREATE.{stream}")));
    }
    allowed.extend(["STREAM.MSG.GET", "DIRECT.GET"].map(|what| api(&format!("{what}.{objects}"))));
    allowed.push(api(&format!("DIRECT.GET.{objects}.>")));
    let list = |subjects: &[String]| {
        subjects.iter().map(|subject| format!("\"{subject}\"")).collect::<Vec<_>>().join(", ")
    };
    Permissions {
        allowed: list(&allowed),
        heard: list(&[format!("sw.{runs}.down.>"), "sw.runs".to_owned(), format!("_INBOX.{speaker}.>")]),
    }
}

/// Users for this many agents, and one for all that join later.
pub(crate) fn names_of_agents(agents: usize) -> impl Iterator<Item = String> {
    let known =
        (1..=agents).map(|number| if number == 1 { "agent".into() } else { format!("agent{number}") });
    known.chain(["later".to_owned()])
}

/// A user of the server that is an agent.
pub(crate) fn user_of_agent(run: &str, serves_many: bool, user: &str, password: &str) -> String {
    let Permissions { allowed, heard } = permissions(run, serves_many, user);
    format!(
        "{{ user: \"{user}\", password: \"{password}\", permissions: {{ publish: [{allowed}], subscribe: [{heard}] }} }}\n"
    )
}

/// The settings of the server. Agents may publish and read what belongs to the run, each under its
/// own name, and nothing else.
pub(super) fn config(
    options: &BrokerOptions,
    folder: &Path,
    tls: bool,
    controller: &str,
    agents: &[(String, String)],
) -> String {
    let BrokerOptions { listen, port, run, serves_many, .. } = options;
    let port = if *port == 0 { -1 } else { i32::from(*port) };
    let host = if listen.is_ipv6() { format!("\"{listen}\"") } else { listen.to_string() };
    let folder = folder.display();
    let users: String =
        agents.iter().map(|(user, password)| user_of_agent(run, *serves_many, user, password)).collect();
    let tls = if tls {
        format!("tls {{ cert_file: \"{folder}/cert.pem\", key_file: \"{folder}/key.pem\", timeout: 5 }}\n")
    } else {
        String::new()
    };
    format!(
        "host: {host}\nport: {port}\nserver_name: swell_{run}\nmax_payload: 1MiB\nping_interval: \"2s\"\nping_max: 2\nwrite_deadline: \"5s\"\nmax_connections: 4096\n\
         jetstream {{ store_dir: \"{folder}/store\", max_file_store: 8GiB, max_memory_store: 64MiB }}\n\
         authorization {{ timeout: 10, users = [\n\
         {{ user: controller, password: \"{controller}\" }}\n\
         {users}] }}\n{tls}"
    )
}
