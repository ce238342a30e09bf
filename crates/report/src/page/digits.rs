//! How exact numbers on a page are.

/// Four digits: more than a page shows.
pub(super) fn short(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let places = 3 - value.abs().log10().floor() as i32;
    // Powers of ten above one are exact, those below are not.
    let scale = 10_f64.powi(places.abs());
    if places >= 0 { (value * scale).round() / scale } else { (value / scale).round() * scale }
}
