//! The resources of pages (`HTTPSamplerBase.resultProcessing`, `downloadPageResources`). Samples
//! without resources do not use this code, so its futures are boxed.

use std::rc::Rc;

use swell_api::{Body, Budget, DataType, Needs, Room, SampleResult, Text};
use swell_expr::Context;

use super::parallel::Downloads;
use super::requests::Requests;
use crate::compile::{Embedded, Spec};
use crate::embedded::resources;
use crate::failure::Failure;
use crate::request::RequestValues;
use crate::sampler::result::{Parent, fail};
use crate::sampler::state::HttpState;
use crate::set::{self, ScriptSettings};
use crate::url::Url;

/// The largest page whose resources are looked for on the loop, bytes: a millisecond of work, as
/// for other questions about pages.
const ON_LOOP_BYTES: usize = 10_000;

/// Most URLs that are compared with the plan's expressions on the loop: half a millisecond of work.
const ON_LOOP_URLS: usize = 250;

/// The resources of a page.
#[derive(Default)]
struct PageResources {
    urls: Vec<Url>,
    /// What they take of the memory for all users.
    _room: Option<Room>,
}

/// What is said of the resources of pages, where they may be wanted.
pub(crate) fn resources_of<'s>(spec: &'s Spec, evaluated: &RequestValues) -> Option<&'s Embedded> {
    let set = evaluated.texts.set.flag(set::RESOURCES);
    spec.embedded.as_deref().filter(|embedded| set == Some(true) || !embedded.is_off())
}

/// Loads the resources of a sampler's pages.
pub(crate) struct Pages<'s, R> {
    pub(crate) spec: &'s Spec,
    pub(crate) needs: Needs,
    pub(crate) requests: &'s R,
}

impl<R: Requests> Pages<'_, R> {
    /// A sample with the resources of its page, if it is a page and its resources are wanted.
    pub(crate) async fn page(
        &self,
        cx: &mut Context,
        state: &mut HttpState,
        evaluated: &RequestValues,
        mut sample: Box<SampleResult>,
        url: &Rc<Url>,
        depth: u32,
    ) -> Box<SampleResult> {
        let Some(spec) = resources_of(self.spec, evaluated) else { return sample };
        let set = &evaluated.texts.set;
        let searched = sample.success && sample.data_type == DataType::Text && spec.is_on(set, cx);
        let settings = &self.spec.settings.pages;
        let found = if searched && depth <= settings.max_depth {
            self.find(cx, &sample, evaluated, url).await
        } else {
            Ok(PageResources::default())
        };
        if !self.needs.body {
            sample.body = Body::default();
        }
        let urls = match found {
            Err(failure) => return self.unreadable(cx, sample, &failure),
            Ok(_) if searched && depth > settings.max_depth => return self.too_deep(cx, sample),
            Ok(found) => found,
        };
        // The room is theirs as long as they are fetched.
        let PageResources { urls, _room } = urls;
        if urls.is_empty() {
            return sample;
        }
        let mut urls = self.wanted(cx, set, urls).await;
        let left_out = settings.max_resources.filter(|most| state.takes_too_many(&mut urls, *most));
        let left_out = left_out.map(|most| self.too_many(sample.clone(), most));
        let mut parent = Parent::of(self.spec, cx, sample.clone());
        if settings.container {
            parent.add_counted(*sample);
        }
        let mut success = left_out.is_none();
        let mut add = |sub: Option<Box<SampleResult>>| {
            success &= sub.as_ref().is_none_or(|sub| sub.success);
            if let Some(sub) = sub {
                parent.add(*sub);
            }
        };
        match spec.pool(set, cx) {
            Some(pool) => {
                let downloads = Downloads { spec: self.spec, requests: self.requests };
                let subs = downloads.samples(cx, state, evaluated, urls, depth + 1, pool).await;
                subs.into_iter().for_each(&mut add);
            }
            None => {
                for url in urls {
                    add(self.requests.resource(cx, state, evaluated, url, depth + 1).await);
                }
            }
        }
        if left_out.is_some() {
            add(left_out);
        }
        let success = success && parent.total.success;
        self.set_success(&mut parent.total, success);
        parent.total
    }

    /// What the page names: on a helper thread if it is large.
    async fn find(
        &self,
        cx: &Context,
        sample: &SampleResult,
        evaluated: &RequestValues,
        url: &Rc<Url>,
    ) -> Result<PageResources, Failure> {
        let kind = self.spec.settings.pages.kind_of(&sample.content_type);
        let Some(kind) = kind.filter(|_| !sample.body.is_empty()) else {
            return Ok(PageResources::default());
        };
        let mut sent = evaluated.texts.headers.iter().filter(|_| !evaluated.local);
        let agent = sent.find(|(name, _)| &**name == "User-Agent");
        let charset = self.spec.settings.pages.charset;
        // JMeter 6.0 takes no browser for an Internet Explorer that reads conditional comments.
        let agent = agent.filter(|_| !self.spec.settings.is_6).map_or("", |(_, agent)| agent);
        if sample.body.len() <= ON_LOOP_BYTES {
            let urls = resources(
                kind,
                &sample.coding_or(charset).decode(&sample.body),
                url,
                agent,
                &Budget::unlimited(),
            )?;
            return Ok(PageResources { urls, _room: None });
        }
        let text = sample.body_text_elsewhere(charset);
        let agent = agent.to_owned();
        let url = Url::clone(url);
        let limits = cx.heavy.limits;
        let meter = cx.heavy.meter.clone();
        let room = Room::new(cx.heavy.account.clone());
        let search = move || {
            let budget = Budget::metered(limits, meter).within(room);
            // A character of three bytes for each byte that is not valid UTF-8.
            if let Err(why) = text.is_copied_for_its_text().map_or(Ok(()), |bytes| budget.hold(3 * bytes)) {
                return Err(Failure::new("java.lang.OutOfMemoryError", why.to_string()));
            }
            let urls = resources(kind, &text.text(), &url, &agent, &budget)?;
            Ok(PageResources { urls, _room: budget.into_room() })
        };
        cx.heavy.elsewhere(search).await
    }

    /// Those that the plan's expressions let through.
    async fn wanted(&self, cx: &mut Context, set: &ScriptSettings, urls: Vec<Url>) -> Vec<Rc<Url>> {
        let spec = self.spec.embedded.as_ref().expect("resources require it");
        let allow = spec.allow.get(set, cx);
        let exclude = spec.exclude.get(set, cx);
        let few = urls.len() <= ON_LOOP_URLS;
        let let_through = move || -> Vec<Url> {
            let escaped = urls.into_iter().map(Url::escaped);
            let kept = escaped.filter(|url| {
                allow.as_ref().is_none_or(|regex| regex.is_match(url.as_str()).unwrap_or(false))
                    && !exclude.as_ref().is_some_and(|regex| regex.is_match(url.as_str()).unwrap_or(false))
            });
            kept.map(Url::normalized).collect()
        };
        let urls = if few { let_through() } else { cx.heavy.elsewhere(let_through).await };
        urls.into_iter().map(Rc::new).collect()
    }

    /// A page fails with its resources, and says which (`setParentSampleSuccess`).
    fn set_success(&self, page: &mut SampleResult, success: bool) {
        if self.spec.settings.pages.ignore_failed {
            return;
        }
        page.success = success;
        if success {
            return;
        }
        let mut message = "Embedded resource download error:".to_owned();
        for sub in page.sub_results.iter().filter(|sub| !sub.success) {
            let url = sub.url.as_deref().unwrap_or("null");
            message.extend([url, " code:", &sub.code, " message:", &sub.message, ", "]);
        }
        page.message = Text::from(message);
    }

    /// JMeter gives up on the page, with a sub-sample that says why.
    fn unreadable(&self, cx: &Context, sample: Box<SampleResult>, failure: &Failure) -> Box<SampleResult> {
        let mut page = self.with_failure(cx, sample, failure);
        self.set_success(&mut page, false);
        page
    }

    fn too_deep(&self, cx: &Context, sample: Box<SampleResult>) -> Box<SampleResult> {
        let failure = Failure::new("java.lang.Exception", "Maximum frame/iframe nesting depth exceeded.");
        self.with_failure(cx, sample, &failure)
    }

    /// The sub-sample for the resources that are not fetched. JMeter fetches them all, however long
    /// that takes.
    fn too_many(&self, mut page: Box<SampleResult>, most: u64) -> Box<SampleResult> {
        let message = format!("More than {most} embedded resources in one sample (http.max_resources)");
        fail(&mut page, &Failure::new("java.lang.Exception", message), self.needs);
        page
    }

    /// The sub-sample is a copy of the page, sizes included.
    fn with_failure(&self, cx: &Context, sample: Box<SampleResult>, failure: &Failure) -> Box<SampleResult> {
        let mut failed = sample.clone();
        fail(&mut failed, failure, self.needs);
        let mut parent = Parent::of(self.spec, cx, sample);
        parent.add(*failed);
        parent.total
    }
}
