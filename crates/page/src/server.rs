//! The thread of the page: its event loop, listener and connections.

use std::cell::RefCell;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::mpsc;

use swell_net::{Background, Lift, Receiver, Runtime, now_ns, sleep_until, yield_now};
use swell_report::page::{About, RunPage};
use swell_run::Subscription;
use swell_site::{Server, SiteOptions, listen};

use crate::routes::LiveSite;
use crate::state::LiveState;
use crate::{LiveOptions, Message};

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
        let tls = tls.map(|tls| tls.config);
        let listening = match listen(at, SiteOptions { tls, name, command: "swell run --live" }) {
            Ok(listening) => listening,
            Err(error) => return failed(told, error),
        };
        // The receiver is gone only if the caller panicked.
        let _ = told.send(Ok((listening.address, listening.tokens())));
        let live = Rc::new(RefCell::new(LiveState::default()));
        let site = Rc::new(LiveSite { live: live.clone() });
        let server = Server::start(site, listening);
        watch(&live, inbox, background).await;
        let until_ns = now_ns() + FAREWELL_NS;
        while server.streams() > 0 && now_ns() < until_ns {
            sleep_until(now_ns() + 20_000_000).await;
        }
        server.stop();
        live.take().page
    })
}

fn failed(told: &mpsc::Sender<ListenAddress>, error: io::Error) -> RunPage {
    // As above.
    let _ = told.send(Err(error));
    RunPage::new(About::default())
}

/// Messages that are processed before readers get their turn. Those that wait together belong
/// together: a reader that sees a trial must be able to change it.
const AT_ONCE: usize = 32;

/// Processes messages about trials until there will be no more.
async fn watch(live: &Rc<RefCell<LiveState>>, mut inbox: Receiver<Message>, mut background: Background) {
    let mut seconds: Option<Subscription> = None;
    while let Some(first) = inbox.recv().await {
        let waiting = std::iter::from_fn(|| inbox.try_recv()).take(AT_ONCE - 1);
        for message in std::iter::once(first).chain(waiting) {
            process(&mut live.borrow_mut(), &mut seconds, message);
        }
        if live.borrow().is_over {
            return;
        }
        background.rest();
        // Where the processors are busy, the next message may have come already.
        yield_now().await;
    }
}

fn process(live: &mut LiveState, seconds: &mut Option<Subscription>, message: Message) {
    // What happened before is shown before.
    let new: Vec<_> = seconds.iter().flat_map(|all| std::iter::from_fn(|| all.try_next())).collect();
    live.seconds(&new);
    match message {
        Message::Seconds => {}
        Message::Begin(begun) => {
            let (shown, of_trial) = *begun;
            *seconds = Some(of_trial);
            live.begin(shown);
        }
        Message::Control(control) => live.control = Some(*control),
        Message::Changed(who, what) => live.event_elsewhere(&who, what),
        Message::EndTrial(verdict, ending) => live.end_trial(verdict.map(|verdict| *verdict), *ending),
        Message::Study(study) => live.show_study(*study),
        Message::End => live.end(),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use swell_net::{channel, spawn};

    use super::*;

    #[test]
    fn readers_get_their_turn_between_messages_that_wait() {
        const TURNS: usize = 10;
        let (to, inbox) = channel();
        let changes =
            (0..TURNS * AT_ONCE).map(|_| Message::Changed("somebody".to_owned(), "a change".to_owned()));
        for message in changes.chain([Message::End]) {
            assert!(to.send(message).is_ok(), "it listens");
        }
        let turns = Rc::new(Cell::new(0));
        let count = turns.clone();
        Runtime::new().expect("a loop").block_on(async move {
            let reader = spawn(async move {
                loop {
                    count.set(count.get() + 1);
                    yield_now().await;
                }
            });
            watch(&Rc::default(), inbox, Background::enter(&Lift::default())).await;
            reader.abort();
        });
        assert!((TURNS..2 * TURNS).contains(&turns.get()), "{} turns", turns.get());
    }
}
