//! The HTML Link Parser (`AnchorModifier`): the request goes where a link or a form of the last page leads, one that fits what
//! the sampler says, which may be expressions.

use std::rc::Rc;

use rand::seq::IndexedRandom as _;
use swell_api::{
    Compile, Needs, RequestArgument, RequestChange, RequestTexts, SampleResult, Step, StepRun, User,
};
use swell_expr::{Context, Level};
use swell_query::PageTidier;
use swell_regex::{Dialect, Reach, Regex};

use super::links::{Link, links};
use crate::url::Url;

/// The element.
pub(crate) struct LinkParser {
    dialect: Dialect,
    tidier: &'static dyn PageTidier,
}

impl LinkParser {
    pub(crate) fn step(tidier: &'static dyn PageTidier, compile: &Compile) -> Rc<dyn Step> {
        Rc::new(Self { dialect: compile.props.regex_dialect(), tidier })
    }
}

impl Step for LinkParser {
    fn needs(&self) -> Needs {
        Needs { body: true, details: true, ..Needs::default() }
    }

    fn run<'a>(&'a self, user: &'a mut User, _sample: Option<&'a mut SampleResult>) -> StepRun<'a> {
        let page = user.previous.as_ref().filter(|sample| sample.http.is_some());
        let url = page.and_then(|page| Url::parse(page.url.as_deref()?).ok());
        let Some((page, url)) = page.zip(url) else {
            let line = "Can't apply HTML Link Parser when the previous sampler run is not an HTTP Request.";
            user.cx.host.log(Level::Info, line);
            return StepRun::Done(());
        };
        let found = links(&page.body_text(), &url, self.tidier);
        user.change_request(Lead { links: found, dialect: self.dialect });
        StepRun::Done(())
    }
}

/// Where the last page leads.
struct Lead {
    links: Vec<Link>,
    dialect: Dialect,
}

impl RequestChange for Lead {
    fn apply(&self, request: &mut RequestTexts, cx: &mut Context) {
        let fitting: Vec<&Link> = self.links.iter().filter(|link| self.fits(link, request)).collect();
        let Some(link) = fitting.choose(&mut cx.random) else { return };
        request.host.clone_from(&link.domain);
        request.path.clone_from(&link.path);
        request.protocol = link.protocol.to_owned();
        let mut left: Vec<RequestArgument> = link.parameters.iter().cloned().map(Into::into).collect();
        if !link.is_form {
            request.arguments = left;
            return;
        }
        for argument in &mut request.arguments {
            let fits = |field: &&RequestArgument| {
                self.same(&field.name, &argument.name) && self.same(&field.value, &argument.value)
            };
            let fitting: Vec<&RequestArgument> = left.iter().filter(fits).collect();
            let Some(field) = fitting.choose(&mut cx.random).map(|field| RequestArgument::clone(field))
            else {
                continue;
            };
            left.retain(|other| (&other.name, &other.value) != (&field.name, &field.value));
            (argument.name, argument.value) = (field.name, field.value);
        }
    }
}

impl Lead {
    /// `HtmlParsingUtils.isAnchorMatched`.
    fn fits(&self, link: &Link, request: &RequestTexts) -> bool {
        let protocol = if request.protocol.is_empty() { "http" } else { &request.protocol };
        let query = link.plain_query();
        let named = |argument: &RequestArgument| {
            query.contains(&format!("{}=", argument.name))
                || self.matches(&argument.name, Reach::Anywhere, &query)
        };
        self.same(link.protocol, protocol)
            && (request.host.is_empty() || self.same(&link.domain, &request.host))
            && (link.path == request.path
                || self.matches(&format!("[/]*{}", request.path), Reach::Whole, &link.path))
            && request.arguments.iter().all(named)
    }

    fn same(&self, text: &str, pattern: &str) -> bool {
        text == pattern || self.matches(pattern, Reach::Whole, text)
    }

    fn matches(&self, pattern: &str, reach: Reach, text: &str) -> bool {
        let regex = Regex::new(pattern, self.dialect, reach);
        regex.is_ok_and(|regex| regex.is_match(text).unwrap_or(false))
    }
}
