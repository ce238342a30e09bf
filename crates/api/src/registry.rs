//! The table of elements of a run.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use swell_expr::Host;
use swell_plan::{Element, Node};

use crate::{ElementKind, Functions, Role, Treatment};

/// Finds kinds of elements at run time: plug-ins, classes on a JVM. Before the run, it is called
/// once for each class with an element that no kind of the table can run.
pub trait Provider: Send + Sync {
    /// The kind of elements of a class; none if this provider has nothing for it. `role` is what
    /// the name suggests; the role of the kind that comes back counts.
    fn find(&self, class: &str, role: Option<Role>) -> Option<ElementKind>;
    /// Is given the plan of the run when all that is to run of it is known, before anything runs.
    fn take_plan(&self, _plan: &RunPlan<'_>) {}
    /// Waits until what it has for the plan can run; asked once in a run, before its first user.
    ///
    /// # Errors
    /// Why they cannot, for the user; nothing is run then.
    fn ready(&self) -> Result<(), String> {
        Ok(())
    }
    /// The test has ended: its elements are notified, and what they log goes to `host`. Called
    /// once, after the last user, while the log is open.
    fn end(&self, _host: &dyn Host) {}
    /// Diagnostics of its runtime for a plan with its elements; called when the whole plan is
    /// known.
    fn doubts(&self) -> Vec<String> {
        Vec::new()
    }
    /// The functions that it has, in addition to Swell's own.
    fn functions(&self) -> Option<Arc<dyn Functions>> {
        None
    }
    /// Is given what to call once when its elements can run no more, with the reason, while the
    /// test runs: the test stops at once then.
    fn watch(&self, _broken: Broken) {}
}

/// The plan of a run, for providers that run elements of it elsewhere.
#[derive(Clone, Copy)]
pub struct RunPlan<'a> {
    /// The Test Plan: enabled elements, Module and Include Controllers filled.
    pub root: &'a Node,
    /// What its elements are.
    pub registry: &'a Registry,
    /// The variables that it defines, as values.
    pub variables: &'a [(String, String)],
    /// Its file, which need not be there: relative names of files count from its folder.
    pub file: &'a Path,
}

/// Receives the reason why elements can no longer run. It may be called on any thread and does not
/// block.
pub type Broken = Arc<dyn Fn(&str) + Send + Sync>;

/// All kinds of elements that a run knows. It belongs to the run and is built once; copies share
/// what providers found.
#[derive(Clone, Default)]
pub struct Registry {
    kinds: Vec<Arc<ElementKind>>,
    by_class: HashMap<String, Vec<Arc<ElementKind>>>,
    providers: Vec<Arc<dyn Provider>>,
    provided: Arc<Mutex<HashMap<String, Option<Arc<ElementKind>>>>>,
}

impl Registry {
    /// A table of these kinds.
    pub fn of(kinds: impl IntoIterator<Item = ElementKind>) -> Self {
        let mut registry = Self::default();
        registry.extend(kinds);
        registry
    }

    /// Adds a kind. It comes before those of the same class that are there already.
    pub fn add(&mut self, kind: ElementKind) {
        self.extend([kind]);
    }

    /// Adds a provider; it is asked before those that are there already.
    pub fn add_provider(&mut self, provider: Arc<dyn Provider>) {
        self.providers.insert(0, provider);
    }

    /// The kind of an element. If several share its class: the one that its GUI class and its
    /// properties ask for, else one that a provider has, else the first. `None` for an unknown
    /// class.
    pub fn kind(&self, element: &Element) -> Option<Arc<ElementKind>> {
        let of_class = self.of_class(&element.class);
        let fits = of_class.iter().find(|kind| kind.is_of(element));
        if let Some(kind) = fits.filter(|kind| !kind.is_better_provided()) {
            return Some(kind.clone());
        }
        let ours = fits.or(of_class.first());
        // Where a provider only says what is missing, what a plan runs without stays left out.
        let is_left_out = ours.is_some_and(|kind| matches!(kind.treatment, Treatment::Ignored(_)));
        let provided = self.provided(&element.class);
        let found =
            provided.filter(|kind| !(is_left_out && matches!(kind.treatment, Treatment::NeedsJvm(_))));
        found.or_else(|| ours.cloned())
    }

    /// The setting of an element that native code of its class does not support; `None` if it
    /// supports all, or there is no native code.
    pub fn lack_of(&self, element: &Element) -> Option<String> {
        self.of_class(&element.class).iter().find_map(|kind| kind.lack_of(element))
    }

    /// Gives an element the values of the properties that it lacks, as a kind of its class says.
    pub fn fill_missing(&self, element: &mut Element) {
        let of_class = self.of_class(&element.class).iter().map(|kind| kind.missing);
        element.missing = of_class.into_iter().find(|missing| !missing.is_empty()).unwrap_or_default();
    }

    /// Whether elements of a class start processes of the system.
    pub fn starts_processes(&self, class: &str) -> bool {
        self.of_class(class).iter().any(|kind| kind.starts_processes)
    }

    /// The kinds of the table that have this class, those that come first at the front.
    pub(crate) fn of_class(&self, class: &str) -> &[Arc<ElementKind>] {
        self.by_class.get(class).map_or(&[], Vec::as_slice)
    }

    /// Gives the plan to the providers, if any of their kinds were found.
    pub fn give_plan(&self, plan: &RunPlan<'_>) {
        let provided = self.provided.lock();
        let any = provided.values().any(Option::is_some);
        // Providers look into this table.
        drop(provided);
        if any {
            self.providers.iter().for_each(|provider| provider.take_plan(plan));
        }
    }

    /// Waits until what providers have for the plan can run.
    ///
    /// # Errors
    /// Why they cannot.
    pub fn providers_ready(&self) -> Result<(), String> {
        self.providers.iter().try_for_each(|provider| provider.ready())
    }

    /// Tells providers that the test has ended.
    pub fn providers_end(&self, host: &dyn Host) {
        self.providers.iter().for_each(|provider| provider.end(host));
    }

    /// What providers have to say of what the elements of the plan run on.
    pub fn doubts(&self) -> Vec<String> {
        self.providers.iter().flat_map(|provider| provider.doubts()).collect()
    }

    /// The functions of the first provider that has any.
    pub fn functions(&self) -> Option<Arc<dyn Functions>> {
        self.providers.iter().find_map(|provider| provider.functions())
    }

    /// The role of an element: that of its kind, or what the name of its class suggests. None if
    /// that says nothing either.
    pub fn role(&self, element: &Element) -> Option<Role> {
        self.kind(element).map_or_else(|| Role::by_name(&element.class), |kind| Some(kind.role))
    }

    /// All kinds of the table, in the order in which they were added; what providers have is not
    /// among them.
    pub fn kinds(&self) -> impl Iterator<Item = &ElementKind> {
        self.kinds.iter().map(|kind| &**kind)
    }

    /// Has `broken` called when elements of a provider can run no more.
    pub fn watch_providers(&self, broken: &Broken) {
        self.providers.iter().for_each(|provider| provider.watch(broken.clone()));
    }

    fn provided(&self, class: &str) -> Option<Arc<ElementKind>> {
        if self.providers.is_empty() {
            return None;
        }
        let mut provided = self.provided.lock();
        if let Some(known) = provided.get(class) {
            return known.clone();
        }
        let role = Role::by_name(class);
        let found = self.providers.iter().find_map(|provider| provider.find(class, role)).map(Arc::new);
        provided.insert(class.to_owned(), found.clone());
        found
    }
}

impl Extend<ElementKind> for Registry {
    /// Adds kinds. They come before those of the same classes that are there already, and among
    /// each other stay in their order.
    fn extend<T: IntoIterator<Item = ElementKind>>(&mut self, kinds: T) {
        let mut added: HashMap<String, Vec<Arc<ElementKind>>> = HashMap::new();
        for kind in kinds.into_iter().map(Arc::new) {
            for class in &kind.classes {
                added.entry(class.to_string()).or_default().push(kind.clone());
            }
            self.kinds.push(kind);
        }
        for (class, mut kinds) in added {
            let of_class = self.by_class.entry(class).or_default();
            kinds.append(of_class);
            *of_class = kinds;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CONFIG_TEST_ELEMENT, Make};

    fn config(name: &'static str, gui: &'static str) -> ElementKind {
        ElementKind::native(Role::Config, CONFIG_TEST_ELEMENT, name, Make::Config).guis(&[gui])
    }

    fn named(registry: &Registry, element: &Element) -> Option<String> {
        registry.kind(element).map(|kind| kind.name.to_string())
    }

    #[test]
    fn kinds_of_one_class_are_told_by_gui_class_and_by_property_and_else_the_first_counts() {
        let listener = |name| ElementKind::ignored(Role::Listener, "Sender", name, "it sends");
        let mut registry = Registry::of([listener("to a").when("client", &["a"]), listener("to others")]);
        registry.extend([config("TCP", "TCPConfigGui")]);
        registry.extend([config("HTTP", "HttpDefaultsGui")]);
        let sender = |client: &str| Element::new("Sender", "x", "s").with_text("client", client);
        assert_eq!(named(&registry, &sender(" a ")).as_deref(), Some("to a"));
        assert_eq!(named(&registry, &sender("b")).as_deref(), Some("to others"));
        let config = |gui: &str| Element::new(CONFIG_TEST_ELEMENT, gui, "c");
        assert_eq!(named(&registry, &config("TCPConfigGui")).as_deref(), Some("TCP"));
        assert_eq!(named(&registry, &config("com.example.OtherGui")).as_deref(), Some("HTTP"));
        assert_eq!(named(&registry, &Element::new("Other", "x", "o")), None);
    }

    #[test]
    fn a_provider_is_asked_once_for_a_class_that_no_kind_claims() {
        struct Counting(Mutex<Vec<String>>);
        impl Provider for Counting {
            fn find(&self, class: &str, role: Option<Role>) -> Option<ElementKind> {
                self.0.lock().push(format!("{class} {role:?}"));
                (class != "Unknown").then(|| {
                    ElementKind::native(Role::Assertion, class.to_owned(), class.to_owned(), Make::Nothing)
                })
            }
        }
        let provider = Arc::new(Counting(Mutex::default()));
        let mut registry = Registry::of([ElementKind::ignored(Role::Timer, "OwnTimer", "Own", "it is ours")]);
        registry.add_provider(provider.clone());
        let copy = registry.clone();
        for class in ["OwnTimer", "com.example.OddTimer", "com.example.OddTimer", "Unknown", "Unknown"] {
            registry.role(&Element::new(class, "x", "e"));
            copy.role(&Element::new(class, "x", "e"));
        }
        assert_eq!(*provider.0.lock(), ["com.example.OddTimer Some(Timer)", "Unknown None"]);
        let odd = Element::new("com.example.OddTimer", "x", "e");
        assert_eq!(registry.role(&odd), Some(Role::Assertion), "what the provider says counts");
    }

    #[test]
    fn what_a_plan_runs_without_is_left_out_where_a_provider_says_that_it_is_missing() {
        struct Lacking;
        impl Provider for Lacking {
            fn find(&self, class: &str, role: Option<Role>) -> Option<ElementKind> {
                let role = role.unwrap_or(Role::Config);
                Some(ElementKind::needs_jvm(role, class.to_owned(), class.to_owned(), "install it"))
            }
        }
        let ignored = ElementKind::ignored(Role::Listener, "com.example.Uploader", "Uploader", "it uploads");
        let needed = ElementKind::needs_jvm(Role::Sampler, "com.example.Sampler", "Sampler", "it is Java");
        let mut registry = Registry::of([ignored.unless_provided(), needed]);
        registry.add_provider(Arc::new(Lacking));
        let treatment = |class: &str| {
            let kind = registry.kind(&Element::new(class, "x", "e")).expect("a kind");
            kind.treatment.clone()
        };
        assert!(matches!(treatment("com.example.Uploader"), Treatment::Ignored(_)));
        assert!(matches!(treatment("com.example.Sampler"), Treatment::NeedsJvm(why) if why == "install it"));
    }

    #[test]
    fn a_setting_that_native_code_lacks_is_left_to_a_provider_where_there_is_one() {
        struct Java;
        impl Provider for Java {
            fn find(&self, class: &str, role: Option<Role>) -> Option<ElementKind> {
                let role = role.unwrap_or(Role::Config);
                Some(ElementKind::on_jvm(role, class.to_owned(), "Java", "by a class", Make::Nothing))
            }
        }
        let reader = ElementKind::native(Role::PostProcessor, "Reader", "Native", Make::Nothing);
        let yaml = |element: &Element| (element.text("as") == Some("YAML")).then(|| "YAML".to_owned());
        let mut registry = Registry::of([reader.lacks(yaml)]);
        let [json, yaml] =
            ["JSON", "YAML"].map(|format| Element::new("Reader", "x", "r").with_text("as", format));
        assert_eq!(named(&registry, &yaml).as_deref(), Some("Native"), "its maker refuses it");
        registry.add_provider(Arc::new(Java));
        assert_eq!(named(&registry, &json).as_deref(), Some("Native"));
        assert_eq!(named(&registry, &yaml).as_deref(), Some("Java"));
        assert_eq!((registry.lack_of(&json), registry.lack_of(&yaml).as_deref()), (None, Some("YAML")));
    }

    #[test]
    fn classes_that_nobody_knows_have_the_role_that_their_names_suggest() {
        let registry = Registry::default();
        for (class, role) in [
            ("com.example.OtherThreadGroup", Some(Role::ThreadGroup)),
            ("com.example.HTTPSamplerProxy", Some(Role::Sampler)),
            ("URLRewritingModifier", Some(Role::PreProcessor)),
            ("some.RegexExtractor", Some(Role::PostProcessor)),
            ("FancyAssertion", Some(Role::Assertion)),
            ("FancyTimer", Some(Role::Timer)),
            ("HeaderManager", Some(Role::Config)),
            ("MyResultCollector", Some(Role::Listener)),
            ("some.plugin.Thing", None),
        ] {
            assert_eq!(registry.role(&Element::new(class, "", "x")), role, "{class}");
        }
    }
}
