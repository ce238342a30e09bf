//! Lists which elements of a plan run natively, are ignored, or are unsupported.

use std::borrow::Cow;
use std::collections::HashMap;

use swell_api::{Registry, Role, Treatment};
use swell_expr::Properties;
use swell_plan::{Diagnostic, Element, Node, NodeId, Place, Severity};

use super::external::{Delegation, hears_from_engine};
use super::prepared::{Group, Prepared};
use super::sent_by_jmeter::marked_because;
use crate::group_load::Load;
use crate::kinds::{Native, native};

/// How an element is supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Support {
    /// It runs.
    Native,
    /// It runs, but not as one of its settings says; what differs.
    Differs(&'static str),
    /// It is known and has nothing to do in a run; why.
    Ignored(Cow<'static, str>),
    /// It runs in the embedded JVM; why.
    Jvm(Cow<'static, str>),
    /// It would change the run and only a Java machine can run it; why.
    NeedsJvm(Cow<'static, str>),
    /// It would change the run and cannot be run; why.
    Unsupported(Cow<'static, str>),
}

impl Support {
    /// Why the element cannot run here; none if it can, or has nothing to do.
    pub fn why_not(self) -> Option<String> {
        match self {
            Self::NeedsJvm(why) => Some(format!("it needs Java and JMeter's classes: {why}")),
            Self::Unsupported(why) => Some(why.into_owned()),
            Self::Native | Self::Differs(_) | Self::Ignored(_) | Self::Jvm(_) => None,
        }
    }
}

/// An element of the plan and how it is supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementSupport {
    /// Identity in the plan.
    pub id: NodeId,
    /// Class.
    pub class: String,
    /// Its part in the plan; none if nothing says which.
    pub role: Option<Role>,
    /// Where it is.
    pub place: Place,
    /// How it is supported.
    pub support: Support,
}

/// Every enabled element in document order, those of modules and included plans where they are
/// used.
pub fn survey(prepared: &Prepared, registry: &Registry) -> Vec<ElementSupport> {
    let mut all = Vec::new();
    let whole = ForeignElements::of(prepared, registry);
    prepared.root.walk(&mut |node| {
        let place = Place {
            file: prepared.file.clone(),
            line: node.element.line,
            element: node.element.path.clone(),
            property: None,
        };
        let support = match whole.support(node, registry) {
            Some(support) => support,
            None => support(node, registry, &prepared.settings.props),
        };
        let class = node.element.class.clone();
        let role = registry.role(&node.element);
        all.push(ElementSupport { id: node.id, class, role, place, support });
    });
    all
}

/// Elements that are run whole by what runs their thread group.
struct ForeignElements(HashMap<NodeId, Support>);

impl ForeignElements {
    fn of(prepared: &Prepared, registry: &Registry) -> Self {
        let root = &prepared.root;
        let mut all = HashMap::new();
        // Elements of the Test Plan level are in each group; where a group is the engine's, they
        // are for that as well.
        let is_all = prepared.groups.iter().all(Group::is_external);
        let delegation = Delegation::of(root, registry);
        let of_plan = |node: &Node| root.children.iter().any(|child| child.id == node.id);
        for group in &prepared.groups {
            let Load::External(external) = &group.load else { continue };
            let support = with_its_group(&delegation, &group.node, registry);
            let of = |node: &Node| {
                external.refuses(&node.element).map_or(support.clone(), |why| Support::NeedsJvm(why.into()))
            };
            let is_taken = delegation.taker(&group.node, registry).is_some();
            if is_taken || external.refuses(&group.node.element).is_some() {
                all.insert(group.node.id, of(&group.node));
            }
            for child in group.node.children.iter().filter(|child| is_all || !of_plan(child)) {
                child.walk(&mut |node| drop(all.insert(node.id, of(node))));
            }
        }
        Self(all)
    }

    /// How an element of such a group is supported; `None` if it belongs to another group, is a
    /// listener that the engine calls, or one that is not knows.
    fn support(&self, node: &Node, registry: &Registry) -> Option<Support> {
        let support = self.0.get(&node.id).filter(|_| !hears_from_engine(node, registry))?;
        let is_lost =
            matches!(support, Support::NeedsJvm(_)) && registry.role(&node.element) == Some(Role::Listener);
        (!is_lost).then(|| support.clone())
    }
}

/// How such a group and its elements are supported.
fn with_its_group<'n>(delegation: &Delegation<'n>, group: &'n Node, registry: &Registry) -> Support {
    if let Some(taker) = delegation.taker(group, registry) {
        let Treatment::Jvm(why) = &taker.kind.treatment else { return Support::Native };
        let named = format!("`{}` ({})", taker.node.element.name(), taker.node.element.class);
        return Support::Jvm(
            format!("JMeter's engine runs its whole thread group because of {named}: {why}").into(),
        );
    }
    match registry.kind(&group.element).map(|kind| kind.treatment.clone()) {
        Some(Treatment::Jvm(why)) => Support::Jvm(format!("it runs with its thread group: {why}").into()),
        _ => Support::Native,
    }
}

/// What the table of elements says.
pub(crate) fn support(node: &Node, registry: &Registry, props: &Properties) -> Support {
    let element = &node.element;
    let Some(kind) = registry.kind(element) else { return unknown(registry.role(element)) };
    match &kind.treatment {
        Treatment::Native => match native(registry, element) {
            Some(Native::Script(script)) => match crate::script::understood(element, *script, props) {
                Ok(()) => Support::Native,
                Err(why) => Support::NeedsJvm(format!("its script is not supported natively: {why}").into()),
            },
            _ => kind.departs_for(element, props).map_or(Support::Native, Support::Differs),
        },
        Treatment::Ignored(why) => Support::Ignored(why.clone()),
        Treatment::Jvm(why) => Support::Jvm(with_lack(registry, element, why.clone())),
        Treatment::NeedsJvm(why) => Support::NeedsJvm(with_lack(registry, element, why.clone())),
        Treatment::Unsupported(why) => Support::Unsupported(why.clone()),
    }
}

/// Why the JVM runs an element, with the setting that native code of its class does not follow.
fn with_lack(registry: &Registry, element: &Element, why: Cow<'static, str>) -> Cow<'static, str> {
    match registry.lack_of(element).or_else(|| marked_because(element, registry)) {
        Some(lack) => format!("{lack}; {why}").into(),
        None => why,
    }
}

fn unknown(role: Option<Role>) -> Support {
    match role {
        Some(Role::Listener) => Support::Ignored("unknown listener".into()),
        _ => Support::Unsupported("this class is not supported".into()),
    }
}

/// Diagnostics for what is not supported.
pub(crate) fn unsupported(prepared: &Prepared, registry: &Registry) -> Vec<Diagnostic> {
    let all = survey(prepared, registry).into_iter();
    let bad = all.filter_map(|found| {
        const SUPPORTED: &str = "disable the element, or replace it with a supported one";
        const JVM: &str = "disable the element, or let the JVM run it: this needs Java 11 or newer, \
                           JMeter's classes, and no `--scripts native`";
        let (message, hint) = match found.support {
            Support::NeedsJvm(why) => {
                (format!("`{}` needs Java and JMeter's classes: {why}", found.class), JVM)
            }
            Support::Unsupported(why) => (format!("`{}`: {why}", found.class), SUPPORTED),
            Support::Native | Support::Differs(_) | Support::Ignored(_) | Support::Jvm(_) => return None,
        };
        Some((message, hint, found.place))
    });
    bad.map(|(message, hint, place)| Diagnostic {
        severity: Severity::Error,
        place,
        message,
        hint: Some(hint.to_owned()),
    })
    .collect()
}
