//! Load profiles and the files that they name.

use std::borrow::Cow;
use std::sync::Arc;

use swell_shape::{Curve, Pacer, Shape, Spacing, sketch};

use super::parts;

/// A valid profile has a finite length and sum, rising sums, and ordered arrivals within it.
pub(super) fn shapes(input: &[u8]) {
    let [text, file]: [Cow<'_, str>; 2] = parts(input);
    let curves =
        [Curve::of_csv(&file), Curve::of_access_log(file.lines(), Some(10.0)), Curve::of_prometheus(&file)];
    let curve = curves.into_iter().find_map(Result::ok);
    let Ok(shape) = Shape::parse(&text, &mut |_, _| curve.clone().ok_or_else(|| "none".to_owned())) else {
        return;
    };
    let length_s = shape.length_s();
    assert!(length_s > 0.0 && length_s.is_finite() && shape.total().is_finite());
    let sums: Vec<_> = (0..=50).map(|place| shape.sum(length_s * f64::from(place) / 50.0)).collect();
    let slack = 1e-6 * shape.total().max(1.0);
    assert!(sums.windows(2).all(|pair| pair[1] >= pair[0] - slack), "{sums:?}");
    let _ = sketch::picture(&shape, 40, 5);
    for spacing in [Spacing::Even, Spacing::Poisson { seed: 5 }] {
        let times: Vec<_> = Pacer::new(Arc::new(shape.clone()), spacing).take(100).collect();
        assert!(times.windows(2).all(|pair| pair[0] <= pair[1] + 1e-6 * length_s), "{times:?}");
        assert!(times.iter().all(|at_s| (0.0..=length_s * (1.0 + 1e-9)).contains(at_s)));
    }
}
