//! `DecimalFormat` against the JDK's own results.

use swell_java::format::DecimalFormat;

/// Pattern, then 0, -7 and 1234567 as whole numbers and 1234567.891, -1234.5, 0.5, 2.5, 0.125, -0.4, 2.675, 99.995 and
/// infinity, as Java 17 formats them.
#[rustfmt::skip]
const FORMATTED: &[(&str, &str)] = &[
    ("000", "000|-007|1234567|1234568|-1234|000|002|000|-000|003|100|∞"),
    ("#", "0|-7|1234567|1234568|-1234|0|2|0|-0|3|100|∞"),
    ("0", "0|-7|1234567|1234568|-1234|0|2|0|-0|3|100|∞"),
    ("#,##0.00", "0.00|-7.00|1,234,567.00|1,234,567.89|-1,234.50|0.50|2.50|0.12|-0.40|2.67|100.00|∞"),
    ("'user'000", "user000|-user007|user1234567|user1234568|-user1234|user000|user002|user000|-user000|user003|user100|user∞"),
    ("user_0000", "user_0000|-user_0007|user_1234567|user_1234568|-user_1234|user_0000|user_0002|user_0000|-user_0000|user_0003|user_0100|user_∞"),
    ("#.##", "0|-7|1234567|1234567.89|-1234.5|0.5|2.5|0.12|-0.4|2.67|100|∞"),
    (".##", ".0|-7.0|1234567.0|1234567.89|-1234.5|.5|2.5|.12|-.4|2.67|100.0|∞"),
    ("0.", "0.|-7.|1234567.|1234568.|-1234.|0.|2.|0.|-0.|3.|100.|∞"),
    ("00.00", "00.00|-07.00|1234567.00|1234567.89|-1234.50|00.50|02.50|00.12|-00.40|02.67|100.00|∞"),
    ("0%", "0%|-700%|123456700%|123456789%|-123450%|50%|250%|12%|-40%|268%|10000%|∞%"),
    ("0‰", "0‰|-7000‰|1234567000‰|1234567891‰|-1234500‰|500‰|2500‰|125‰|-400‰|2675‰|99995‰|∞‰"),
    ("'#'0", "#0|-#7|#1234567|#1234568|-#1234|#0|#2|#0|-#0|#3|#100|#∞"),
    ("a'b''c'0", "ab'c0|-ab'c7|ab'c1234567|ab'c1234568|-ab'c1234|ab'c0|ab'c2|ab'c0|-ab'c0|ab'c3|ab'c100|ab'c∞"),
    ("0;(0)", "0|(7)|1234567|1234568|(1234)|0|2|0|(0)|3|100|∞"),
    ("0x0", "00x|-07x|1234567x|1234568x|-1234x|00x|02x|00x|-00x|03x|100x|∞x"),
    ("x", "x0|-x7|x1234567|x1234568|-x1234|x0|x2|x0|-x0|x3|x100|x∞"),
    ("", "0|-7|1,234,567|1,234,567.891|-1,234.5|.5|2.5|.125|-.4|2.675|99.995|∞"),
    ("0 'pts'", "0 pts|-7 pts|1234567 pts|1234568 pts|-1234 pts|0 pts|2 pts|0 pts|-0 pts|3 pts|100 pts|∞ pts"),
    ("0-0", "00-|-07-|1234567-|1234568-|-1234-|00-|02-|00-|-00-|03-|100-|∞-"),
    ("-0", "-0|--7|-1234567|-1234568|--1234|-0|-2|-0|--0|-3|-100|-∞"),
    (",0", "0|-7|1,2,3,4,5,6,7|1,2,3,4,5,6,8|-1,2,3,4|0|2|0|-0|3|1,0,0|∞"),
    ("0,00,000", "000,000|-000,007|1,234,567|1,234,568|-001,234|000,000|000,002|000,000|-000,000|000,003|000,100|∞"),
    ("0;-0", "0|-7|1234567|1234568|-1234|0|2|0|-0|3|100|∞"),
    ("00;neg0x", "00|neg07x|1234567|1234568|neg1234x|00|02|00|neg00x|03|100|∞"),
];

#[test]
fn as_the_jdk_formats() {
    for (pattern, expected) in FORMATTED {
        let format = DecimalFormat::new(pattern).unwrap_or_else(|reason| panic!("{pattern}: {reason}"));
        let whole = [0, -7, 1_234_567].map(|value| format.format_i64(value));
        let broken = [1_234_567.891, -1234.5, 0.5, 2.5, 0.125, -0.4, 2.675, 99.995, f64::INFINITY];
        let broken = broken.map(|value| format.format_f64(value));
        assert_eq!([&whole[..], &broken[..]].concat().join("|"), *expected, "{pattern}");
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
