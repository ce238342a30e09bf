//! `DecimalFormat` compared with results of the JDK.

use swell_java::format::DecimalFormat;

#[test]
fn as_the_jdk_formats() {
    for row in include_str!("decimal_format.tsv").lines().skip(1) {
        let (pattern, expected) = row.split_once('\t').expect("a pattern and numbers");
        let format = DecimalFormat::new(pattern).unwrap_or_else(|reason| panic!("{pattern}: {reason}"));
        let whole = [0, -7, 1_234_567].map(|value| format.format_i64(value));
        let broken = [1_234_567.891, -1234.5, 0.5, 2.5, 0.125, -0.4, 2.675, 99.995, f64::INFINITY];
        let broken = broken.map(|value| format.format_f64(value));
        assert_eq!([&whole[..], &broken[..]].concat().join("|"), expected, "{pattern}");
    }
}

#[test]
fn the_ends_of_the_range() {
    let format = DecimalFormat::new("#,##0").expect("a pattern");
    assert_eq!(format.format_i64(i64::MAX), "9,223,372,036,854,775,807");
    assert_eq!(format.format_i64(i64::MIN), "-9,223,372,036,854,775,808");
    assert_eq!(DecimalFormat::new("0%").expect("a pattern").format_i64(i64::MAX), "922337203685477580700%");
    assert_eq!(format.format_f64(f64::NAN), "NaN");
}

#[test]
fn wrong_patterns_say_why() {
    for (pattern, reason) in [
        ("0.0.0", "Multiple decimal separators in pattern \"0.0.0\""),
        ("#0#", "Malformed pattern \"#0#\""),
        ("0,", "Malformed pattern \"0,\""),
        ("'x", "Malformed pattern \"'x\""),
        (";0", "Malformed pattern \";0\""),
        ("%0%", "Too many percent/per mille characters in pattern \"%0%\""),
        ("0E0", "exponents are not supported"),
        ("¤0", "currencies are not supported"),
    ] {
        assert_eq!(DecimalFormat::new(pattern), Err(reason.to_owned()), "{pattern}");
    }
}
