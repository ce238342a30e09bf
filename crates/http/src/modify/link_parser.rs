//! The HTML Link Parser (`AnchorModifier`): the request goes where a link or a form of the last page leads, one that fits what
//! the sampler says, which may be expressions.

use std::rc::Rc;

use rand::seq::IndexedRandom as _;
use swell_api::{Compile, Needs, SampleResult, Step, StepRun, User};
use swell_expr::{Context, Level};
use swell_plan::Node;
use swell_regex::{Dialect, Reach, Regex};

use super::Change;
use super::links::{Link, links};
use crate::request::{Parameter, Texts};
use crate::sampler::changes_of;
use crate::url::Url;

/// The element.
pub(crate) struct LinkParser {
    dialect: Dialect,
}

impl LinkParser {
    pub(crate) fn step(_node: &Node, compile: &Compile) -> Rc<dyn Step> {
        Rc::new(Self { dialect: compile.props.regex_dialect() })
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
        let found = links(&page.body_text(), &url);
        let package = user.package;
        changes_of(user).push(package, Box::new(Lead { links: found, dialect: self.dialect }));
        StepRun::Done(())
    }
}

/// Where the last page leads.
struct Lead {
    links: Vec<Link>,
    dialect: Dialect,
}

impl Change for Lead {
    fn apply(&self, texts: &mut Texts, cx: &mut Context) {
        let fitting: Vec<&Link> = self.links.iter().filter(|link| self.fits(link, texts)).collect();
        let Some(link) = fitting.choose(&mut cx.random) else { return };
        texts.domain = link.domain.as_str().into();
        texts.set_path(&link.path);
        texts.protocol = link.protocol.into();
        if !link.is_form {
            texts.parameters.clone_from(&link.parameters);
            return;
        }
        let mut left = link.parameters.clone();
        for parameter in &mut texts.parameters {
            let fits = |field: &&Parameter| {
                self.same(&field.name, &parameter.name) && self.same(&field.value, &parameter.value)
            };
            let fitting: Vec<&Parameter> = left.iter().filter(fits).collect();
            let Some(field) = fitting.choose(&mut cx.random).map(|field| Parameter::clone(field)) else {
                continue;
            };
            left.retain(|other| (&other.name, &other.value) != (&field.name, &field.value));
            (parameter.name, parameter.value) = (field.name, field.value);
        }
    }
}

impl Lead {
    /// `HtmlParsingUtils.isAnchorMatched`.
    fn fits(&self, link: &Link, texts: &Texts) -> bool {
        let protocol = if texts.protocol.is_empty() { "http" } else { &texts.protocol };
        let query = link.plain_query();
        let named = |parameter: &Parameter| {
            query.contains(&format!("{}=", parameter.name))
                || self.matches(&parameter.name, Reach::Anywhere, &query)
        };
        self.same(link.protocol, protocol)
            && (texts.domain.is_empty() || self.same(&link.domain, &texts.domain))
            && (link.path == texts.path()
                || self.matches(&format!("[/]*{}", texts.path()), Reach::Whole, &link.path))
            && texts.parameters.iter().all(named)
    }

    fn same(&self, text: &str, pattern: &str) -> bool {
        text == pattern || self.matches(pattern, Reach::Whole, text)
    }

    fn matches(&self, pattern: &str, reach: Reach, text: &str) -> bool {
        let regex = Regex::new(pattern, self.dialect, reach);
        regex.is_ok_and(|regex| regex.is_match(text).unwrap_or(false))
    }
}
