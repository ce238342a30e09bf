//! The kinds of such groups, for the table of elements.

use std::sync::Arc;

use swell_api::{ElementKind, Make, Phase, Role};

use super::group::JvmGroup;
use crate::elements::session::Session;

fn make(phase: Phase, session: &Arc<Session>) -> Make {
    let session = session.clone();
    Make::external_group(move |node, compile| {
        Arc::new(JvmGroup::new(node.id, phase, session.clone(), compile.host.clone()))
    })
}

/// Has the thread group of an element run whole on JMeter's engine.
pub(in crate::elements) fn whole(session: &Arc<Session>) -> Make {
    let session = session.clone();
    Make::in_external_group(move |group, phase, compile| {
        Arc::new(JvmGroup::new(group.id, phase, session.clone(), compile.host.clone()))
    })
}

/// A kind of thread group of a plug-in.
pub(in crate::elements) fn plugin(class: &str, session: &Arc<Session>) -> ElementKind {
    let name = class.rsplit('.').next().unwrap_or(class).to_owned();
    let why = "JMeter's engine runs this thread group";
    ElementKind::on_jvm(Role::ThreadGroup, class.to_owned(), name, why, make(Phase::Main, session))
}

/// These kinds of thread groups, which Swell has code for, on JMeter's engine. `missing` is why
/// there is none.
pub(in crate::elements) fn all(
    kinds: Vec<(ElementKind, Phase)>,
    missing: Option<&str>,
    session: &Arc<Session>,
) -> Vec<ElementKind> {
    let on_jvm = |(kind, phase): (ElementKind, Phase)| {
        let class = kind.classes[0].clone();
        let name = kind.name.clone();
        let why = "JMeter's engine runs all thread groups (--engine jmeter)";
        let new = if let Some(missing) = missing {
            ElementKind::needs_jvm(Role::ThreadGroup, class, name, missing.to_owned())
        } else {
            ElementKind::on_jvm(Role::ThreadGroup, class, name, why, make(phase, session))
        };
        ElementKind { treatment: new.treatment, make: new.make, ..kind }
    };
    kinds.into_iter().map(on_jvm).collect()
}
