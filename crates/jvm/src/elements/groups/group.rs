//! Such a group before the run.

use std::sync::Arc;

use swell_api::{ExternalGroup, GroupStart, Needs, Phase, RunningGroup};
use swell_expr::Host;
use swell_plan::{Element, NodeId};

use super::plan;
use super::properties::borrowed;
use super::running::JvmRunning;
use crate::elements::hosted::{is_jmeters, no_jar_has};
use crate::elements::session::{Session, on_large_stack};
use crate::java_side::JavaSide;
use crate::request;

/// A thread group for JMeter's engine.
pub(super) struct JvmGroup {
    id: NodeId,
    phase: Phase,
    session: Arc<Session>,
    host: Arc<dyn Host>,
}

impl JvmGroup {
    pub(super) fn new(id: NodeId, phase: Phase, session: Arc<Session>, host: Arc<dyn Host>) -> Self {
        session.groups.add(id);
        Self { id, phase, session, host }
    }

    /// Gives the plan to the JVM if that does not have it.
    fn load(&self, jvm: &JavaSide, start: &GroupStart<'_>) -> Result<(), String> {
        let mut loaded = self.session.groups.loaded.lock();
        if *loaded == jvm.number {
            return Ok(());
        }
        let mut message = Vec::new();
        let changed = self.session.property_changes();
        let lacks = |element: &Element| self.refuses(element).is_some();
        request::groups(
            &mut message,
            &borrowed(&changed),
            plan::jmx(start, &lacks).as_bytes(),
            &plan::file(start),
        );
        // What loads plans goes deep.
        on_large_stack(|| jvm.tell(&message).map_err(|fault| plan::why(&fault)))
            .map_err(|why| format!("JMeter does not accept the plan: {why}"))?;
        *loaded = jvm.number;
        Ok(())
    }

    fn begin(&self, jvm: &JavaSide, start: &GroupStart<'_>) -> Result<(), String> {
        self.load(jvm, start)?;
        let delay_ms = (start.start_ns - swell_net::now_ns()).max(0) / 1_000_000;
        let group =
            request::Group { id: self.id.0, number: start.number, delay_ms, without: unread(start.needs) };
        let mut message = Vec::new();
        let changed = self.session.property_changes();
        request::start_group(&mut message, &borrowed(&changed), &group);
        jvm.tell(&message).map_err(|fault| fault.to_string())
    }
}

impl ExternalGroup for JvmGroup {
    fn phase(&self) -> Phase {
        self.phase
    }

    fn refuses(&self, element: &Element) -> Option<String> {
        let class = &element.class;
        (!is_jmeters(class) && self.session.lacks(class)).then(|| no_jar_has(class))
    }

    fn start(&self, start: &GroupStart<'_>) -> Result<Arc<dyn RunningGroup>, String> {
        let jvm = self.session.jvm()?;
        self.begin(&jvm, start)?;
        let running = JvmRunning::start(self.id, self.session.clone(), jvm, self.host.clone())?;
        Ok(Arc::new(running))
    }
}

/// Fields of samples that are not read (`Samples.java`).
fn unread(needs: Needs) -> u32 {
    const BODY: u32 = 1 << 5;
    const RESPONSE_HEADERS: u32 = 1 << 6;
    const REQUEST_HEADERS: u32 = 1 << 7;
    const SAMPLER_DATA: u32 = 1 << 8;
    let fields = [
        (needs.body, BODY),
        (needs.response_headers, RESPONSE_HEADERS),
        (needs.request, REQUEST_HEADERS | SAMPLER_DATA),
    ];
    fields.into_iter().filter(|(is_read, _)| !is_read).fold(0, |all, (_, field)| all | field)
}
