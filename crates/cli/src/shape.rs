//! `swell shape`: shows a load shape; also the line that a run prints about its shape.

use serde_json::json;
use swell_run::{RunShape, ShapeOf, ShapeUnit, Spacing, sketch};

use crate::args::{ShapeCommand, ShapeCommandArgs, in_words, read_shape};
use crate::exit::{Exit, Failure};
use crate::print::{print_stderr, print_stdout};

const WIDTH: usize = 72;
const HEIGHT: usize = 10;
const SPARK: usize = 40;

/// Runs the command.
pub(crate) fn shape(args: &ShapeCommandArgs) -> Result<Exit, Failure> {
    let ShapeCommand::Show { shape, json } = &args.command;
    let shape = read_shape(shape)?;
    if *json {
        let (least, most) = shape.range();
        let levels: Vec<_> = (0..=100)
            .map(|hundredth| {
                let at_s = shape.length_s() * f64::from(hundredth) / 100.0;
                json!([at_s, shape.level(at_s)])
            })
            .collect();
        let value = json!({
            "length_s": shape.length_s(), "least": least, "most": most, "mean": shape.mean(), "total": shape.total(),
            "levels": levels,
        });
        print_stdout(&format!("{value}\n"))?;
    } else {
        print_stdout(&format!(
            "{}\n{}\n",
            sketch::picture(&shape, WIDTH, HEIGHT),
            sketch::words(&shape, shape.unit())
        ))?;
    }
    Ok(Exit::Fine)
}

/// Says on one line what a run's load is. `rate`: what a rate of the command is of, where that is
/// not what the plan says.
pub(crate) fn say(shape: &RunShape, of: ShapeOf, rate: Option<&'static str>) {
    let (what, unit) = in_words(of);
    let what = rate.filter(|_| unit == ShapeUnit::Rate).unwrap_or(what);
    let spacing = match (of, shape.spacing) {
        (ShapeOf::Users, _) => "",
        (_, Spacing::Even) => ", evenly spaced",
        (_, Spacing::Poisson { .. }) => ", at random",
    };
    print_stderr(&format!(
        "Load shape, {what}: {} {}{spacing}",
        sketch::spark(&shape.shape, SPARK),
        sketch::words(&shape.shape, Some(unit))
    ));
}
