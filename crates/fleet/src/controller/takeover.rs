//! A run whose controller was lost: agents continue as they were started, and so does the
//! controller that takes over.

use super::TakeOver;
use crate::FleetError;
use crate::coordinator::{CoordinatorOptions, OnLoss};
use crate::wire::Manifest;

/// Takes over a run as it was started (`known`), if the new options are compatible.
///
/// # Errors
/// It is another plan, or agents would need new options.
pub(super) fn take(
    coordinator: &mut CoordinatorOptions,
    said: TakeOver,
    known: &Manifest,
    asked: &Manifest,
) -> Result<(), FleetError> {
    let plan_of = |manifest: &Manifest| manifest.files.first().map(|plan| plan.sha256.clone());
    if plan_of(known) != plan_of(asked) {
        return Err(FleetError::new(format!(
            "the plan `{}` differs from the plan that run {} started with, `{}`",
            asked.plan, known.run, known.plan
        ))
        .hint("give the original plan file"));
    }
    if let Some(interval_s) = said.interval_s.filter(|interval_s| *interval_s != known.interval_s) {
        return Err(FleetError::new(format!(
            "agents of run {} report every {} s, not every {interval_s} s",
            known.run, known.interval_s
        ))
        .hint("omit --agents-interval: it applies only when a run starts"));
    }
    if asked.wants_rows && !known.wants_rows {
        return Err(FleetError::new(format!(
            "agents of run {} keep no rows for a results file, because the run started without one",
            known.run
        ))
        .hint("omit -l"));
    }
    let on_loss = said.on_loss.unwrap_or(known.on_loss);
    if on_loss == OnLoss::Redistribute && known.on_loss != OnLoss::Redistribute {
        return Err(FleetError::new(format!(
            "agents of run {} do not take over slices, because the run started that way",
            known.run
        ))
        .hint("omit --on-agent-loss"));
    }
    (coordinator.interval_s, coordinator.multiply, coordinator.on_loss) =
        (known.interval_s, known.multiply, on_loss);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::FileEntry;

    fn of(sha256: &str) -> Manifest {
        let plan = FileEntry {
            name: "p.jmx".into(),
            texts: Vec::new(),
            given: true,
            object: "file0".into(),
            sha256: sha256.into(),
            bytes: 1,
        };
        Manifest::of_test("r1", "p.jmx", vec![plan], 2)
    }

    fn taken(said: TakeOver, known: &Manifest, asked: &Manifest) -> Result<CoordinatorOptions, String> {
        let mut coordinator = CoordinatorOptions {
            agents: 1,
            named: Vec::new(),
            timeout_ns: 1,
            begin_without: false,
            on_loss: OnLoss::Abort,
            multiply: false,
            slices: None,
            allow_skew: false,
            interval_s: 1,
            phase_timeout_ns: 1,
        };
        take(&mut coordinator, said, known, asked).map_err(|error| error.message)?;
        Ok(coordinator)
    }

    #[test]
    fn a_run_goes_on_as_it_began_whatever_is_usual() {
        let known = Manifest { interval_s: 7, multiply: true, on_loss: OnLoss::Continue, ..of("a") };
        let coordinator = taken(TakeOver::default(), &known, &of("a")).expect("it fits");
        assert_eq!(
            (coordinator.interval_s, coordinator.multiply, coordinator.on_loss),
            (7, true, OnLoss::Continue)
        );
        let said = TakeOver { interval_s: Some(7), on_loss: Some(OnLoss::Abort) };
        let coordinator = taken(said, &known, &of("a")).expect("it fits");
        assert_eq!((coordinator.interval_s, coordinator.on_loss), (7, OnLoss::Abort));
    }

    #[test]
    fn what_agents_would_have_to_be_told_anew_is_refused() {
        let known = Manifest { interval_s: 7, on_loss: OnLoss::Continue, ..of("a") };
        let why = |said, asked: &Manifest| taken(said, &known, asked).expect_err("it does not fit");
        let none = TakeOver::default();
        assert_eq!(
            why(none, &of("b")),
            "the plan `p.jmx` differs from the plan that run r1 started with, `p.jmx`"
        );
        assert_eq!(
            why(TakeOver { interval_s: Some(5), ..none }, &of("a")),
            "agents of run r1 report every 7 s, not every 5 s"
        );
        assert!(why(none, &Manifest { wants_rows: true, ..of("a") }).contains(" keep no rows "));
        let said = TakeOver { on_loss: Some(OnLoss::Redistribute), ..none };
        assert!(why(said, &of("a")).contains(" do not take over slices"));
    }
}
