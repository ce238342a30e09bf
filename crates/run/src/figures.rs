//! Custom figures: numbers that the plan puts into variables.

use std::rc::Rc;

use swell_api::{Listener, Needs, SampleEvent, SampleResult};
use swell_expr::{Properties, Vars};
use swell_results::CountingListener;
use swell_stats::{FigureName, FigureValue};

/// The property, or User Defined Variable, that names figures with commas between them: `NAME` or
/// `NAME=VARIABLE`.
pub const FIGURES: &str = "swell.figures";

/// Figures of a run at most: each has a histogram a label.
const MOST: usize = 50;

/// A custom figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CustomFigure {
    pub(crate) name: FigureName,
    /// The variable with its values.
    pub(crate) variable: String,
}

/// The figures that properties and initial variables name.
///
/// # Errors
/// A name is invalid, or there are too many; in words.
pub(crate) fn wanted(
    props: &Properties,
    variables: &[(String, String)],
) -> Result<Vec<CustomFigure>, String> {
    let of_plan = variables.iter().find(|(name, _)| name == FIGURES).map(|(_, value)| value.clone());
    let texts = [props.get(FIGURES), of_plan];
    let mut all: Vec<CustomFigure> = Vec::new();
    for part in texts.iter().flatten().flat_map(|text| text.split(',')).map(str::trim) {
        if part.is_empty() {
            continue;
        }
        let (name, variable) = part.split_once('=').unwrap_or((part, part));
        let name = FigureName::new(name.trim()).ok_or_else(|| {
            format!("invalid figure `{part}`: expected NAME or NAME=VARIABLE, a name of letters, digits, `_`, `-` and `.`, at most 32")
        })?;
        let figure = CustomFigure { name, variable: variable.trim().to_owned() };
        match all.iter().find(|known| known.name == name) {
            Some(known) if *known != figure => return Err(format!("the figure `{name}` has two variables")),
            Some(_) => {}
            None => all.push(figure),
        }
    }
    if all.len() > MOST {
        return Err(format!("{} figures are more than {MOST}, the limit", all.len()));
    }
    Ok(all)
}

/// Counts the values of figures that the package of a sample has set. It comes after the listener
/// that counts the samples.
pub(crate) struct FigureCounter {
    pub(crate) counts: Rc<CountingListener>,
    /// In the order in which the users' variables are watched.
    pub(crate) names: Rc<[FigureName]>,
}

impl FigureCounter {
    fn count(&self, vars: &Vars, sample: &SampleResult, is_part: bool) {
        for (number, name) in self.names.iter().enumerate() {
            if let Some(value) = vars.take_change(number) {
                self.counts.record_figure(sample, is_part, *name, FigureValue::parse(value));
            }
        }
    }
}

impl Listener for FigureCounter {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn sample(&self, event: &SampleEvent<'_>) {
        self.count(&event.cx.vars, event.sample, false);
    }

    fn inner_sample(&self, event: &SampleEvent<'_>) {
        self.count(&event.cx.vars, event.sample, true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_come_from_a_property_and_from_the_plan() {
        let props = Properties::default();
        let plan = |text: &str| vec![(FIGURES.to_owned(), text.to_owned())];
        assert_eq!(wanted(&props, &[]), Ok(Vec::new()));
        props.set(FIGURES, " total=order_total , depth,");
        let found = wanted(&props, &plan("depth,size = bytes")).expect("valid");
        let found: Vec<_> =
            found.iter().map(|figure| (figure.name.as_str(), figure.variable.as_str())).collect();
        assert_eq!(found, [("total", "order_total"), ("depth", "depth"), ("size", "bytes")]);
        for (text, why) in [
            ("a b", "invalid figure `a b`"),
            ("total=other", "the figure `total` has two variables"),
            ("=x", "invalid figure `=x`"),
        ] {
            let said = wanted(&props, &plan(text)).expect_err(text);
            assert!(said.starts_with(why), "{said}");
        }
        let many: Vec<_> = (0..=MOST).map(|number| format!("f{number}")).collect();
        assert!(wanted(&props, &plan(&many.join(","))).is_err_and(|why| why.contains("the limit")));
    }
}
