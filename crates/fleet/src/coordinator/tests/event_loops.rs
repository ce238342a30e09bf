//! What the event loops of all agents used.

use swell_net::Io;

use super::*;
use crate::wire::EventLoops;

/// What an agent says of its loops at its end.
fn end_with(io: &str, refused: Option<&str>) -> Body {
    let event_loops = EventLoops { io: io.into(), refused: refused.map(str::to_owned) };
    let evidence = encode(&Evidence::default());
    Body::End(Box::new(ShareEnd { evidence, event_loops: Some(event_loops), ..ShareEnd::default() }))
}

#[test]
fn refusals_of_the_kernel_are_told_with_their_agent() {
    let epoll = ("epoll", None);
    let uring = ("uring", None);
    let refused = ("epoll", Some("EPERM"));
    for (of_a, of_b, io, told) in [
        (epoll, epoll, Io::Epoll, None),
        (uring, uring, Io::Uring, None),
        (refused, uring, Io::Uring, Some("a: EPERM")),
        (uring, refused, Io::Uring, Some("b: EPERM")),
        (refused, refused, Io::Epoll, Some("a: EPERM; b: EPERM")),
    ] {
        let mut coordinator = running();
        for (name, (io, refused)) in [("a", of_a), ("b", of_b)] {
            up(&mut coordinator, name, 1, 1, end_with(io, refused), 3 * S);
        }
        coordinator.tick(3 * S);
        let Some(Action::Finish(end)) = coordinator.take_actions().pop() else { panic!("it never ends") };
        let served = end.io.expect("there were loops");
        assert_eq!((served.io, served.refused.as_deref()), (io, told), "{of_a:?} and {of_b:?}");
    }
}
