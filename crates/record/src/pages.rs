//! Pages of a recording: which requests belong together.

use jiff::{SignedDuration, Timestamp};

/// What begins a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transactions {
    /// A navigation of the browser, a pause of two seconds, or the user's Enter. From the first
    /// Enter on, only Enter.
    #[default]
    Auto,
    /// The user's Enter.
    Enter,
    /// Nothing: there are no pages.
    None,
}

/// A time without requests that ends a page.
const PAUSE: SignedDuration = SignedDuration::from_secs(2);

/// Pages at most; later requests belong to the last.
const MOST: usize = 1_000;

/// A page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// When its first request began.
    pub started: Timestamp,
    /// Its name.
    pub title: String,
    /// The name was typed, or is the title of the document.
    is_named: bool,
}

/// What pages need to know of a request.
#[derive(Clone, Copy, Debug)]
pub struct RequestFacts<'a> {
    /// Its method.
    pub method: &'a str,
    /// Its whole URL.
    pub url: &'a str,
    /// Its host.
    pub host: &'a str,
    /// `Sec-Fetch-Mode: navigate` in the frame at the top.
    pub navigates: bool,
}

/// The pages of a recording.
#[derive(Clone, Debug, Default)]
pub struct Pages {
    begins: Transactions,
    all: Vec<Page>,
    /// The host of the last navigation: pauses count for its requests.
    host: Option<String>,
    /// The last begin or end of a request.
    active: Option<Timestamp>,
    /// Where the last response leads to.
    redirect: Option<String>,
    /// The name of the page that the next request begins.
    entered: Option<String>,
    has_entered: bool,
}

impl Pages {
    /// Without pages yet. `host`: that of the page that a browser opens first.
    pub fn new(begins: Transactions, host: Option<String>) -> Self {
        Self { begins, host, ..Self::default() }
    }

    /// All pages, in order.
    pub fn all(&self) -> &[Page] {
        &self.all
    }

    /// The next request begins a page; with a name, or with none that was typed.
    pub fn enter(&mut self, name: &str) {
        if self.begins != Transactions::None {
            self.has_entered = true;
            self.entered = Some(name.trim().to_owned());
        }
    }

    /// A request begins; the page that it belongs to.
    pub fn begin(&mut self, request: &RequestFacts<'_>, now: Timestamp) -> Option<usize> {
        let follows = self.redirect.as_deref() == Some(request.url);
        if follows {
            self.redirect = None;
        }
        if let Some(name) = self.entered.take() {
            self.add(request, &name, now);
        } else if self.begins == Transactions::Auto
            && !self.has_entered
            && !follows
            && self.begins(request, now)
        {
            self.add(request, "", now);
        }
        if request.navigates {
            self.host = Some(request.host.to_owned());
        }
        if self.counts(request) {
            self.active = Some(now);
        }
        self.all.len().checked_sub(1)
    }

    /// A request has ended; `location`: its response is a redirect to this URL.
    pub fn end(&mut self, request: &RequestFacts<'_>, location: Option<String>, now: Timestamp) {
        if self.counts(request) {
            self.active = Some(now);
        }
        if location.is_some() && request.navigates {
            self.redirect = location;
        }
    }

    /// The document of a page has this title, which names the page unless it has a name.
    pub fn name(&mut self, page: usize, title: &str) {
        if let Some(page) = self.all.get_mut(page).filter(|page| !page.is_named) {
            title.clone_into(&mut page.title);
            page.is_named = true;
        }
    }

    /// Requests of the page's host count; all do where nothing navigates, as with curl.
    fn counts(&self, request: &RequestFacts<'_>) -> bool {
        self.host.as_deref().is_none_or(|host| host == request.host)
    }

    fn begins(&self, request: &RequestFacts<'_>, now: Timestamp) -> bool {
        let is_late = self.active.is_none_or(|active| now.duration_since(active) > PAUSE);
        request.navigates || self.counts(request) && is_late
    }

    fn add(&mut self, request: &RequestFacts<'_>, name: &str, now: Timestamp) {
        if self.all.len() >= MOST {
            return;
        }
        let path = request.url.splitn(4, '/').nth(3).unwrap_or_default();
        let path = path.split(['?', '#', ';']).next().unwrap_or_default();
        let title = if name.is_empty() { format!("{} /{path}", request.method) } else { name.to_owned() };
        self.all.push(Page { started: now, title, is_named: !name.is_empty() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    fn request(url: &'static str, navigates: bool) -> RequestFacts<'static> {
        let host = url.split('/').nth(2).unwrap();
        RequestFacts { method: "GET", url, host, navigates }
    }

    fn titles(pages: &Pages) -> Vec<&str> {
        pages.all().iter().map(|page| &*page.title).collect()
    }

    #[test]
    fn navigations_begin_pages_and_redirects_stay_on_them() {
        let mut pages = Pages::new(Transactions::Auto, None);
        let home = request("https://a/", true);
        let login = RequestFacts { method: "POST", ..request("https://a/login?x", true) };
        let target = request("https://a/in", true);
        assert_eq!(pages.begin(&home, at(0)), Some(0));
        pages.end(&home, None, at(0));
        pages.name(0, "Home");
        assert_eq!(pages.begin(&request("https://a/s.css", false), at(1)), Some(0));
        assert_eq!(pages.begin(&login, at(1)), Some(1));
        pages.end(&login, Some("https://a/in".into()), at(1));
        assert_eq!(pages.begin(&target, at(1)), Some(1));
        pages.name(1, "Home");
        pages.name(1, "Other");
        assert_eq!(pages.begin(&target, at(1)), Some(2));
        assert_eq!(titles(&pages), ["Home", "Home", "GET /in"]);
    }

    #[test]
    fn pauses_begin_pages_for_the_host_of_the_page_only() {
        let mut pages = Pages::new(Transactions::Auto, None);
        pages.begin(&request("https://a/", true), at(0));
        assert_eq!(pages.begin(&request("https://update/", false), at(9)), Some(0));
        assert_eq!(pages.begin(&request("https://a/api", false), at(2)), Some(0));
        assert_eq!(pages.begin(&request("https://a/api", false), at(5)), Some(1));
        assert_eq!(titles(&pages), ["GET /", "GET /api"]);
        let mut of_browser = Pages::new(Transactions::Auto, Some("a".to_owned()));
        assert_eq!(of_browser.begin(&request("https://update/", false), at(0)), None);
        let mut without_browser = Pages::new(Transactions::Auto, None);
        without_browser.begin(&request("http://a/1", false), at(0));
        without_browser.begin(&request("http://b/2", false), at(1));
        without_browser.begin(&request("http://b/3", false), at(4));
        assert_eq!(titles(&without_browser), ["GET /1", "GET /3"]);
    }

    #[test]
    fn from_the_first_enter_on_only_enter_begins_pages() {
        let mut pages = Pages::new(Transactions::Auto, None);
        pages.begin(&request("https://a/", true), at(0));
        pages.enter(" Sign in ");
        pages.begin(&request("https://a/login", true), at(1));
        pages.begin(&request("https://a/home", true), at(9));
        pages.enter("");
        pages.begin(&request("https://a/out", false), at(9));
        assert_eq!(titles(&pages), ["GET /", "Sign in", "GET /out"]);
        let mut none = Pages::new(Transactions::None, None);
        none.enter("x");
        assert_eq!(none.begin(&request("https://a/", true), at(0)), None);
        let mut by_hand = Pages::new(Transactions::Enter, None);
        assert_eq!(by_hand.begin(&request("https://a/", true), at(0)), None);
        by_hand.enter("x");
        assert_eq!(by_hand.begin(&request("https://a/", true), at(0)), Some(0));
    }
}
