//! One sample package: `JMeterThread.executeSamplePackage`.

use std::rc::Rc;

use swell_api::{SampleResult, StoredSamplers, Text, User};

use super::interrupt::{WaitResult, unless};
use super::live::StopMode;
use super::parallel::take_parallel;
use super::steps;
use super::user::Runner;
use crate::control::{ControlId, SamplerId};
use crate::program::{GroupProgram, Package};

impl Runner {
    /// Runs a package: pre-processors, timers, the sampler, post-processors, assertions, listeners.
    /// `inside` is the innermost transaction with parent sample around it. Functions that never
    /// wait are not async: async functions cost time even where there is nothing to do in them.
    pub(super) async fn sample(&mut self, program: &GroupProgram, id: SamplerId, inside: Option<ControlId>) {
        let package = &program.packages[id.0 as usize];
        if package.is_kept {
            self.keep_samplers(program, package);
        }
        self.begin(package);
        for step in &package.before {
            if !steps::before(&mut self.walker.task, package, step).await {
                return;
            }
        }
        self.walker.last_package = Some(id.0);
        if let Some(internals) = &self.walker.task.group.worker.program.internals {
            internals.take(&mut self.walker.task.user.cx.vars, self.walker.key, id);
        }
        let goes_on = match self.walker.task.delay_at_once(package) {
            Some(goes_on) => goes_on,
            None => self.walker.task.delay(package).await,
        };
        if !goes_on || self.walker.task.has_thrown(package) {
            return;
        }
        let has_own_name = !self.walker.task.user.request.is_renamed(self.walker.task.user.package);
        if has_own_name && package.constant_name.is_none() {
            self.walker.task.evaluate(|task| task.name_sampler(package)).await;
        }
        if !program.timeouts.is_empty() {
            self.walker.task.user.interrupt_at_ns =
                self.walker.task.evaluate(|task| task.interrupt_at(program)).await;
        }
        let mut result = match &package.parallel {
            None => self.take_sample(package).await,
            Some(parallel) => Box::pin(take_parallel(self, program, parallel)).await,
        };
        if package.named_twice
            && has_own_name
            && let Some(sample) = &mut result
        {
            Box::pin(self.rename(package, sample)).await;
        }
        let asked = self.walker.task.user.cx.stop.take();
        // One that threw may have given no sample.
        let has_thrown = self.walker.task.has_thrown(package);
        if let Some(mut result) = result.filter(|_| !has_thrown) {
            let is_heard = if package.is_examined() {
                self.walker.examine(program, package, &mut result, inside.is_some()).await
            } else {
                Some(self.walker.pass_unexamined(program, &mut result))
            };
            if let Some(is_heard) = is_heard {
                if let Some(pause_ns) =
                    self.walker.tell(program, package, &mut result, inside.is_some(), is_heard)
                {
                    // What happens seldom is boxed, so that users are small.
                    Box::pin(self.walker.task.pause(pause_ns)).await;
                }
                if let Some(stop) = self.walker.task.user.cx.stop.take() {
                    self.walker.task.stop(stop);
                }
                self.hand_over(program, result, inside);
            }
        }
        if let Some(stop) = asked {
            self.walker.task.stop(stop);
        }
    }

    /// A package begins.
    #[inline]
    fn begin(&mut self, package: &Package) {
        let user = &mut self.walker.task.user;
        user.package += 1;
        user.cx.thrown = None;
        if let Some(name) = &package.constant_name
            && !Rc::ptr_eq(name, &user.cx.sampler_name)
        {
            user.cx.sampler_name = name.clone();
        }
    }

    /// JMeter asks an HTTP sampler for its name for each exchange, and again when the sample is
    /// there (`HTTPSamplerBase.sample`).
    async fn rename(&mut self, package: &Package, sample: &mut SampleResult) {
        if sample.label.is_empty() {
            return;
        }
        let requests = sample.sub_results.iter().filter(|sub| !sub.is_response_part).count();
        for _ in 0..requests.max(1) {
            self.walker.task.evaluate(|task| task.name_sampler(package)).await;
        }
        sample.label = Text::Shared(self.walker.task.user.cx.sampler_name.clone());
    }

    /// Stores the sampler of the finished package, and that of the next one.
    fn keep_samplers(&mut self, program: &GroupProgram, next: &Package) {
        let number = self.walker.task.user.package;
        let last = self.walker.last_package;
        let before = last.map(|id| Box::new(self.walker.task.kept(&program.packages[id as usize], number)));
        let now = Some(Box::new(self.walker.task.kept(next, number + 1)));
        *self.walker.task.user.kept_samplers() = StoredSamplers { now, before };
    }

    /// The sampler itself, cut if the test stops at once.
    async fn take_sample(&mut self, package: &Package) -> Option<Box<SampleResult>> {
        self.walker.task.samples_since_yield += 1;
        self.walker.task.user.cx.begin_evaluation();
        let result = loop {
            let future = package.sampler.sample(&mut self.walker.task.user);
            let WaitResult { value: result, waited, .. } =
                unless(&self.walker.task.group, StopMode::Immediate, future).await;
            if waited {
                self.walker.task.samples_since_yield = 0;
            }
            if !(self.walker.task.is_suspended() && self.walker.task.answered(None).await) {
                break result;
            }
        };
        let ready_ns = self.walker.task.user.ready_ns;
        let worker = &*self.walker.task.group.worker;
        let Some(result) = result else {
            worker.cut.set(worker.cut.get() + 1);
            // This time was not lost to the user: it was spent in the sample, as far as that got.
            worker.time_accounting.samples(swell_net::now_ns() - ready_ns);
            return None;
        };
        let Some(sample) = result else {
            // A pause of the plan, which continues until the user is free.
            worker.time_accounting.waits(self.walker.task.user.free_ns - ready_ns);
            if self.walker.task.user.free_ns > swell_net::now_ns() {
                self.walker.task.idle_until(self.walker.task.user.free_ns).await;
            }
            return None;
        };
        Some(self.taken(sample))
    }

    /// Notes that a sample was taken, and when it was wanted.
    #[inline]
    pub(super) fn taken(&mut self, mut sample: Box<SampleResult>) -> Box<SampleResult> {
        let task = &mut self.walker.task;
        let worker = &*task.group.worker;
        worker.samples.set(worker.samples.get() + 1);
        let User { intended_ns, ready_ns, scheduled, .. } = task.user;
        let timing = &mut sample.timing;
        let could_ns = self.lateness.started(intended_ns, ready_ns, scheduled, timing.start_ns);
        (timing.intended_ns, timing.ready_ns, timing.scheduled) = (intended_ns, could_ns, scheduled);
        worker.time_accounting.samples(timing.end_ns - timing.start_ns);
        task.user.free_ns = sample.timing.end_ns.max(task.user.free_ns);
        if let Some(charset) = worker.fallback_charset {
            sample.set_fallback_charset(charset);
        }
        // An HTTP sample that never had a URL has no name in JMeter either.
        if sample.label.is_empty() && sample.http.is_none() {
            sample.label = Text::Shared(task.user.cx.sampler_name.clone());
        }
        sample
    }

    /// The sample goes to its transaction, and stays as `prev` where that is read.
    fn hand_over(&mut self, program: &GroupProgram, result: Box<SampleResult>, inside: Option<ControlId>) {
        match inside.filter(|_| !result.ignore) {
            Some(id) => {
                if program.keeps_previous {
                    self.walker.task.user.previous = Some(result.clone());
                }
                self.walker.walk(|walk| {
                    if let Some(running) = walk.transaction(id) {
                        running.add(*result);
                    }
                });
            }
            None if program.keeps_previous => self.walker.task.user.previous = Some(result),
            None => result.give_back(),
        }
    }
}
