//! `swell target`.

use std::io::Read;
use std::net::SocketAddr;
use std::sync::mpsc;

use swell_target::Options;

use crate::args::TargetArgs;
use crate::exit::{Exit, Failure};
use crate::print::print_stdout;
use crate::signals;

/// Runs the command until it is interrupted.
pub(crate) fn target(args: &TargetArgs) -> Result<Exit, Failure> {
    if args.proto {
        print_stdout(swell_target::PROTO)?;
        return Ok(Exit::Fine);
    }
    let options = Options {
        bind: args.address(),
        tls_bind: args.tls_port.map(|port| SocketAddr::new(args.host, port)),
        workers: usize::from(args.workers),
        mirror: args.mirror,
        misbehave: true,
        log_entries: args.log,
        http2_streams_max: args.http2_streams,
        http2_requests_max: args.http2_requests,
        ..Options::default()
    };
    // Before the address is printed: a program that reads it may send a signal at once.
    let (end, ended) = mpsc::channel();
    signals::forward(end.clone(), |_| ())?;
    let target = swell_target::start(options).map_err(|error| {
        Failure::settings(format!("cannot listen at {}: {error}", args.address()))
            .hint("--port 0 takes a free port")
    })?;
    print_stdout(&format!("listening at http://{}/\n", target.addr()))?;
    if let Some(tls) = target.tls_addr() {
        print_stdout(&format!("listening at https://{tls}/\n"))?;
    }
    if args.until_stdin_ends {
        std::thread::spawn(move || {
            // When the input ends, its parent is gone.
            // Its end, or an error: the parent is gone either way.
            let _ = std::io::stdin().read_to_end(&mut Vec::new());
            end.send(())
        });
    }
    // An error means that every sender is gone, which ends it as well.
    let _ = ended.recv();
    target.stop();
    Ok(Exit::Fine)
}
