//! Parallel downloads of resources (`ResourcesDownloader`). Each download has separate connections,
//! cookies and variables, as JMeter's download threads and their sampler clones have. The cookies
//! are merged when all downloads are done.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use swell_api::SampleResult;
use swell_expr::{Context, UserIdentity};

use super::requests::Requests;
use crate::compile::Spec;
use crate::cookies::Jar;
use crate::request::RequestValues;
use crate::sampler::download_slots::Slot;
use crate::sampler::state::HttpState;
use crate::url::Url;

/// What came of a download.
struct DownloadResult {
    sample: Option<Box<SampleResult>>,
    jar: Option<Jar>,
}

/// The parallel downloads of one page.
pub(super) struct Downloads<'s, R> {
    pub(super) spec: &'s Spec,
    pub(super) requests: &'s R,
}

impl<R: Requests> Downloads<'_, R> {
    /// The samples of resources, at most `at_once` at a time, in the order of the URLs.
    pub(super) async fn samples(
        &self,
        cx: &mut Context,
        state: &mut HttpState,
        evaluated: &RequestValues,
        urls: Vec<Rc<Url>>,
        depth: u32,
        at_once: usize,
    ) -> Vec<Option<Box<SampleResult>>> {
        state.slots.get_or_insert_default();
        let jar = self.spec.cookies.as_ref().map(|manager| state.jar(manager).clone());
        let start = |url: Rc<Url>| self.download(cx, state, evaluated, url, depth, jar.clone());
        let done = all(urls.into_iter().map(start), at_once).await;
        let mut samples = Vec::with_capacity(done.len());
        for DownloadResult { sample, jar } in done {
            if let (Some(jar), Some(manager)) = (jar, &self.spec.cookies) {
                let delete_empty = self.spec.settings.delete_empty_cookies;
                state.jar(manager).take_in(jar, &manager.cookies, delete_empty);
            }
            samples.push(sample);
        }
        samples
    }

    fn download<'a>(
        &'a self,
        cx: &Context,
        state: &HttpState,
        evaluated: &'a RequestValues,
        url: Rc<Url>,
        depth: u32,
        jar: Option<Jar>,
    ) -> Pin<Box<dyn Future<Output = DownloadResult> + 'a>> {
        let slots = state.slots.clone().expect("made before the first download");
        let mut side = state.aside(self.spec.settings.pages.digests);
        let mut cx = beside(cx);
        Box::pin(async move {
            let Slot { number, pool } = slots.take();
            side.pool = pool;
            cx.user.thread_name = format!("ResDownload-Thread-{number}").into();
            if let (Some(manager), Some(jar)) = (&self.spec.cookies, jar) {
                *side.jar(manager) = jar;
            }
            let sample = self.requests.resource(&mut cx, &mut side, evaluated, url, depth).await;
            let pool = std::mem::take(&mut side.pool);
            slots.idle.borrow_mut().push(Slot { number, pool });
            let jar = self.spec.cookies.as_ref().map(|manager| std::mem::take(&mut *side.jar(manager)));
            DownloadResult { sample, jar }
        })
    }
}

/// A copy of what expressions see.
fn beside(cx: &Context) -> Context {
    Context {
        vars: cx.vars.clone(),
        props: cx.props.clone(),
        host: cx.host.clone(),
        run: cx.run.clone(),
        user: UserIdentity::clone(&cx.user),
        sampler_name: cx.sampler_name.clone(),
        users: cx.users.clone(),
        iteration: cx.iteration,
        stop: None,
        random: cx.random.clone(),
        thrown: None,
        function_states: Vec::new(),
        previous: cx.previous.clone(),
        heavy: cx.heavy.clone(),
        unheard: Box::default(),
        backlog: std::cell::OnceCell::new(),
        files_read: swell_expr::FilesRead::default(),
        remote: cx.remote_beside(),
        trace: cx.trace.as_ref().map(|trace| Box::new(trace.part())),
        recent: cx.recent.clone(),
    }
}

/// Runs futures, at most `at_once` at a time; their outputs, in their order.
async fn all<F: Future + Unpin>(mut waiting: impl Iterator<Item = F>, at_once: usize) -> Vec<F::Output> {
    let mut running = Vec::new();
    let mut done = Vec::new();
    poll_fn(move |task| {
        loop {
            while running.len() < at_once {
                let Some(future) = waiting.next() else { break };
                running.push((done.len(), future));
                done.push(None);
            }
            let before = running.len();
            running.retain_mut(|(at, future): &mut (usize, F)| match Pin::new(future).poll(task) {
                Poll::Ready(output) => {
                    done[*at] = Some(output);
                    false
                }
                Poll::Pending => true,
            });
            if running.is_empty() && before < at_once {
                return Poll::Ready(done.drain(..).flatten().collect());
            }
            if running.len() == before {
                return Poll::Pending;
            }
        }
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn so_many_run_at_a_time_and_the_order_stays() {
        swell_net::Runtime::new().unwrap().block_on(async {
            for (count, at_once) in [(0, 3), (2, 3), (3, 3), (7, 3), (6, 1)] {
                let running = Cell::new(0);
                let most = Cell::new(0);
                let work = |i: usize| {
                    let running = &running;
                    let most = &most;
                    Box::pin(async move {
                        running.set(running.get() + 1);
                        most.set(most.get().max(running.get()));
                        for _ in 0..=(i * 5 % 7) {
                            swell_net::yield_now().await;
                        }
                        running.set(running.get() - 1);
                        i
                    })
                };
                let done = all((0..count).map(work), at_once).await;
                assert_eq!(done, (0..count).collect::<Vec<_>>());
                assert_eq!(most.get(), count.min(at_once));
            }
        });
    }
}
