//! The thread of the page: its event loop, listener and connections.

use std::cell::{Cell, RefCell};
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::mpsc;

use swell_net::{
    Background, Lift, Receiver, Runtime, Task, TcpListener, now_ns, sleep_until, spawn, yield_now,
};
use swell_report::page::{About, RunPage};
use swell_run::Subscription;

use crate::access::Access;
use crate::connection::{Phase, Shared, serve};
use crate::state::LiveState;
use crate::{LiveOptions, Message};

/// Connections at a time that have not sent a secret. Beyond that, the oldest silent one is closed,
/// or else the oldest.
const MOST_UNKNOWN: usize = 64;

/// Connections at a time that have sent a secret and do not receive events (event streams have a
/// separate limit). Beyond that, the oldest is closed.
const MOST_KNOWN: usize = 64;

/// How long readers have to receive the end.
const FAREWELL_NS: i64 = 1_000_000_000;

/// The address of the page and its secrets, sent to the starting thread: to change the run, and to
/// view it.
pub(crate) type ListenAddress = io::Result<(SocketAddr, [String; 2])>;

/// Serves a page to its end.
pub(crate) fn run(
    options: LiveOptions,
    inbox: Receiver<Message>,
    told: &mpsc::Sender<ListenAddress>,
    lift: &Lift,
) -> RunPage {
    let LiveOptions { at, tls, name } = options;
    let background = Background::enter(lift);
    let mut runtime = match Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return failed(told, error),
    };
    runtime.block_on(async move {
        let listening = listen(at).and_then(|(listener, address)| {
            let access = Access::new(address.port(), tls.is_some(), name)?;
            Ok((listener, address, access))
        });
        let (listener, address, access) = match listening {
            Ok(listening) => listening,
            Err(error) => return failed(told, error),
        };
        // The receiver is gone only if the caller panicked.
        let _ = told.send(Ok((address, access.tokens())));
        let live = Rc::new(RefCell::new(LiveState::default()));
        let shared = Rc::new(Shared {
            live: live.clone(),
            access,
            tls: tls.map(|tls| tls.config),
            streams: Cell::new(0),
        });
        let accepting = spawn(accept(listener, shared.clone()));
        watch(&live, inbox, background).await;
        let until_ns = now_ns() + FAREWELL_NS;
        while shared.streams.get() > 0 && now_ns() < until_ns {
            sleep_until(now_ns() + 20_000_000).await;
        }
        accepting.abort();
        live.take().page
    })
}

fn failed(told: &mpsc::Sender<ListenAddress>, error: io::Error) -> RunPage {
    // As above.
    let _ = told.send(Err(error));
    RunPage::new(About::default())
}

fn listen(at: SocketAddr) -> io::Result<(TcpListener, SocketAddr)> {
    // The listeners of this loop share their port with others, which a page must not.
    let address = std::net::TcpListener::bind(at)?.local_addr()?;
    Ok((TcpListener::bind(address)?, address))
}

/// Processes messages about trials until there will be no more.
async fn watch(live: &Rc<RefCell<LiveState>>, mut inbox: Receiver<Message>, mut background: Background) {
    let mut seconds: Option<Subscription> = None;
    while let Some(message) = inbox.recv().await {
        // What happened before is shown before.
        while let Some(second) = seconds.as_ref().and_then(Subscription::try_next) {
            live.borrow_mut().second(&second);
        }
        let mut live = live.borrow_mut();
        match message {
            Message::Seconds => {}
            Message::Begin(begun) => {
                let (shown, of_trial) = *begun;
                seconds = Some(of_trial);
                live.begin(shown);
            }
            Message::Control(control) => live.control = Some(*control),
            Message::Changed(who, what) => live.event_elsewhere(&who, what),
            Message::EndTrial(verdict, ending) => live.end_trial(verdict.map(|verdict| *verdict), *ending),
            Message::Study(study) => live.show_study(*study),
            Message::End => return live.end(),
        }
        drop(live);
        background.rest();
    }
}

/// An open connection.
struct Open {
    task: Task<()>,
    phase: Rc<Cell<Phase>>,
    is_done: Rc<Cell<bool>>,
}

async fn accept(listener: TcpListener, shared: Rc<Shared>) {
    let mut open: Vec<Open> = Vec::new();
    loop {
        let Ok((socket, _)) = listener.accept().await else {
            // No descriptors are left: the run may need them more.
            sleep_until(now_ns() + 100_000_000).await;
            continue;
        };
        let phase = Rc::new(Cell::new(Phase::Silent));
        let is_done = Rc::new(Cell::new(false));
        let reached = phase.clone();
        let done = is_done.clone();
        let shared = shared.clone();
        let task = spawn(async move {
            serve(socket, shared, reached).await;
            done.set(true);
        });
        open.push(Open { task, phase, is_done });
        // Bytes that have already arrived are read before any connection is closed, also if many
        // connections wait to be accepted.
        yield_now().await;
        open.retain(|one| !one.is_done.get());
        let phases: Vec<Phase> = open.iter().map(|one| one.phase.get()).collect();
        if let Some(place) = has_to_go(&phases) {
            open.remove(place).task.abort();
        }
    }
}

/// Which of these connections, oldest first, is closed to make room. A connection without a secret
/// never displaces one with a secret.
fn has_to_go(phases: &[Phase]) -> Option<usize> {
    let count = |wanted: &dyn Fn(Phase) -> bool| phases.iter().filter(|phase| wanted(**phase)).count();
    let oldest = |wanted: Phase| phases.iter().position(|phase| *phase == wanted);
    if count(&|phase| phase < Phase::Known) > MOST_UNKNOWN {
        return oldest(Phase::Silent).or_else(|| oldest(Phase::Asks));
    }
    if count(&|phase| phase == Phase::Known) > MOST_KNOWN { oldest(Phase::Known) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_without_a_secret_make_room_for_each_other_and_never_cost_a_reader() {
        use Phase::{Asks, Known, Silent, Streams};
        let readers = [Streams, Known];
        let with = |more: &[Phase]| [&readers[..], more].concat();
        assert_eq!(has_to_go(&with(&[Silent; MOST_UNKNOWN])), None);
        assert_eq!(has_to_go(&with(&[Silent; MOST_UNKNOWN + 1])), Some(2));
        let mut mixed = with(&[Asks; MOST_UNKNOWN]);
        mixed.push(Silent);
        assert_eq!(has_to_go(&mixed), Some(MOST_UNKNOWN + 2), "who asks before who is silent");
        assert_eq!(has_to_go(&with(&[Asks; MOST_UNKNOWN + 1])), Some(2));
        assert_eq!(has_to_go(&with(&[Known; MOST_KNOWN])), Some(1), "the oldest that waits, and no stream");
        assert_eq!(has_to_go(&[Streams; 200]), None, "their number is limited elsewhere");
    }
}
