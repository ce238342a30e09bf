//! Everything that uses NATS: connections, streams, subscriptions. Runs on one thread with a
//! single-threaded tokio; no type of either leaves this folder.

pub(crate) mod agent;
pub(crate) mod controller;
#[cfg(test)]
mod fake_agents;
mod nats;
mod objects;

use std::time::Duration;

use async_nats::{Client, ConnectOptions};
use data_encoding::HEXLOWER;

use crate::broker::{is_new_enough, version_of};
use crate::{Creds, FleetError, Join};

pub(crate) use objects::{FULL_DISK, FetchedManifest};

/// How long the first connection may take.
const CONNECT: Duration = Duration::from_secs(10);

/// Subjects and names of a run.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    run: String,
}

impl Names {
    pub(crate) fn new(run: &str) -> Self {
        Self { run: run.to_owned() }
    }

    /// Signs of life: `sw.RUN.up.hb.SPEAKER`. A broker lets each speaker use its own name alone.
    fn heartbeat(&self, speaker: &str) -> String {
        format!("sw.{}.up.hb.{speaker}", self.run)
    }

    /// Requests for a slice.
    fn claim(&self, speaker: &str) -> String {
        format!("sw.{}.up.claim.{speaker}", self.run)
    }

    /// Requests for the time.
    fn clock(&self) -> String {
        format!("sw.{}.up.clock", self.run)
    }

    /// What agents count.
    fn measured(&self, speaker: &str) -> String {
        format!("sw.{}.up.m.{speaker}", self.run)
    }

    /// Rows of results.
    fn rows(&self, speaker: &str) -> String {
        format!("sw.{}.up.r.{speaker}", self.run)
    }

    /// The log of the controller's messages.
    fn log(&self) -> String {
        format!("sw.{}.down.log", self.run)
    }

    /// That the run has finished, for a broker that keeps no messages any more.
    fn over(&self) -> String {
        format!("sw.{}.down.over", self.run)
    }

    /// Slices.
    fn work(&self, slice: u32) -> String {
        format!("sw.{}.work.{slice}", self.run)
    }

    fn measurements_stream(&self) -> String {
        format!("SW_{}_M", self.run)
    }

    fn rows_stream(&self) -> String {
        format!("SW_{}_R", self.run)
    }

    fn log_stream(&self) -> String {
        format!("SW_{}_C", self.run)
    }

    fn work_stream(&self) -> String {
        format!("SW_{}_WORK", self.run)
    }

    fn objects(&self) -> String {
        format!("sw_{}", self.run)
    }
}

/// Where controllers announce their runs to agents that wait for any.
const RUNS: &str = "sw.runs";

/// The durable consumer of slices.
const CONSUMER: &str = "agents";

/// The last token of a subject that agents send to: the sender.
fn speaker_of(subject: &str) -> &str {
    subject.rsplit('.').next().unwrap_or_default()
}

/// Connects to a broker.
pub(crate) async fn connect(join: &Join, name: &str) -> Result<Client, FleetError> {
    let mut options = ConnectOptions::new()
        .name(name)
        // Answers go to a subject that only this client reads.
        .custom_inbox_prefix(format!("_INBOX.{}", join.speaker("any")))
        .ping_interval(Duration::from_secs(2))
        .connection_timeout(Duration::from_secs(5))
        .request_timeout(Some(Duration::from_secs(3)))
        .max_reconnects(None)
        .reconnect_delay_callback(|attempts| Duration::from_millis(100 * (attempts as u64).clamp(1, 10)));
    if let Some((user, password)) = &join.user {
        options = options.user_and_password(user.clone(), password.clone());
    }
    options = match &join.creds {
        None => options,
        Some(Creds::NKey(seed)) => options.nkey(seed.clone()),
        Some(Creds::Jwt(text)) => options
            .credentials(text)
            .map_err(|error| FleetError::new(format!("cannot read the credentials: {error}")))?,
    };
    if join.tls {
        options = options.require_tls(true);
        if let Some(certificate) = &join.certificate {
            options = options.tls_client_config(trusting(certificate)?);
        }
    }
    let connected = tokio::time::timeout(CONNECT, options.connect(join.server())).await;
    let place = join.place();
    let client = match connected {
        Ok(Ok(client)) => client,
        Ok(Err(error)) => return Err(refused(&place, &error)),
        Err(_) => {
            return Err(FleetError::new(format!(
                "no answer from the broker at {place} within {} s",
                CONNECT.as_secs()
            )));
        }
    };
    let info = client.server_info();
    let version = version_of(&info.version).unwrap_or((0, 0));
    is_new_enough(version)
        .map_err(|error| FleetError::new(format!("broker at {place}: {}", error.message)))?;
    if !info.jetstream {
        return Err(FleetError::new(format!("the broker at {place} runs without JetStream"))
            .hint("start it with `nats-server -js`"));
    }
    Ok(client)
}

/// Trust in one certificate, known by its SHA-256: that of the broker of a run.
fn trusting(sha256: &str) -> Result<rustls::ClientConfig, FleetError> {
    let digest = HEXLOWER.decode(sha256.as_bytes()).ok().and_then(|digest| digest.try_into().ok());
    let short = || {
        FleetError::new(
            "invalid SHA-256 of the broker's certificate: expected 64 \
        hexadecimal digits",
        )
    };
    let refusal = "the broker's certificate differs from the one in the broker address".to_owned();
    Ok(swell_connect::pinned_client(digest.ok_or_else(short)?, rustls::Error::General(refusal)))
}

fn refused(place: &str, error: &async_nats::ConnectError) -> FleetError {
    let text = error.to_string();
    if matches!(
        error.kind(),
        async_nats::ConnectErrorKind::AuthorizationViolation | async_nats::ConnectErrorKind::Authentication
    ) {
        return FleetError::new(format!("the broker at {place} rejected the user name or password")).hint(
            "use the command line that the controller of this run printed (each run has its own \
            password); for a broker that expects a JWT or an NKey, use --creds",
        );
    }
    let hint = if text.contains("certificate") {
        "use the whole command line that the controller of this run printed: the part after # \
        identifies the broker's certificate, which differs for each run"
    } else {
        "check that the broker is running and that this machine can reach its port"
    };
    FleetError::new(format!("cannot connect to the broker at {place}: {text}")).hint(hint)
}

/// A thread with a single-threaded tokio. It comes after the workers.
pub(crate) fn spawn<T: Send + 'static>(
    work: impl AsyncFnOnce() -> T + Send + 'static,
) -> std::io::Result<std::thread::JoinHandle<T>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    std::thread::Builder::new().name("swell-fleet".to_owned()).spawn(move || {
        swell_net::machine::give_way();
        runtime.block_on(work())
    })
}
