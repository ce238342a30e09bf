use super::*;

const RULES: &str = "
# A comment.
all = «one 3-3,» «two»
one = a
two = ∅ ¦ 0×never
three = 9×␣x␣ ¦ «%odd»⏎
odd = é ${a b} &

pair = «n=letter»-«n»-«m:letter»«both»«m:'-'»«m»
letter = a ¦ b ¦ c
both = «n»«m»
swapped = «one~other»«one»‹100% «one»›‹0% «one»›
other = o
nested 2 one = («nested»)
chosen = «0..2» «100%» «0%» «#»«#+1»«#»
long :
  begin
  ‹100%  end›
Element :
  <X guiclass=\"\" testname=\"«odd»\"/>
  <hashTree>«Inside»</hashTree>
Inside = <Y guiclass=\"\" testname=\"<\"/>
";

fn made(rule: &str, seed: u64) -> String {
    Grammar::read(RULES, &[]).text(rule, &mut ChoiceRng::new(seed, &[]))
}

#[test]
fn forms_say_what_is_made() {
    let cases = [
        ("all", "a,a,a "),
        ("swapped", "oo"),
        ("nested", "((a))"),
        ("long", "begin end"),
        ("odd", "é ${a b} &"),
        (
            "Element",
            "<X guiclass=\"\" testname=\"é ${a b} &amp;\"/><hashTree><Y guiclass=\"\" testname=\"<\"/></hashTree>",
        ),
    ];
    for (rule, text) in cases {
        for seed in 0..20 {
            assert_eq!(made(rule, seed), text, "{rule}");
        }
    }
    for seed in 0..20 {
        let three = made("three", seed);
        assert!([" x ", "%C3%A9%20${a b}%20%26\n"].contains(&three.as_str()), "{three:?}");
        let pair = made("pair", seed);
        let n = &pair[0..1];
        let m = &pair[pair.len() - 2..pair.len() - 1];
        assert!(pair.starts_with(&format!("{n}-{n}-{n}")) && pair.ends_with(&format!("{m}-")), "{pair}");
        let chosen = made("chosen", seed);
        assert!(chosen.ends_with(" true false 122"), "{chosen}");
    }
}

#[test]
fn names_come_from_elsewhere() {
    let grammar = Grammar::read("a = «b»-«c»", &["b", "c"]);
    let text = grammar.text_with("a", &mut ChoiceRng::new(1, &[]), &|name, _| name.to_uppercase());
    assert_eq!(text, "B-C");
}

#[test]
fn weights_count() {
    let grammar = Grammar::read("a = 9×x ¦ y", &[]);
    let rng = &mut ChoiceRng::new(1, &[]);
    let seen = (0..1000).filter(|_| grammar.text("a", rng) == "x").count();
    assert!((850..950).contains(&seen), "{seen}");
}

#[test]
#[should_panic(expected = "no such rules: [\"c\"]")]
fn a_rule_that_is_not_there_is_told() {
    Grammar::read("a = «b:'x'»«b»«c»", &[]);
}

/// Every family makes XML in which all names are defined, and makes it again from the same seed.
#[test]
fn families_make_plans() {
    for family in super::super::FAMILIES {
        for seed in 0..40 {
            let make = || {
                (
                    family.setting(&mut ChoiceRng::new(seed, &[0])).properties,
                    family.group(&mut ChoiceRng::new(seed, &[1])),
                )
            };
            let (_, group) = make();
            assert!(!group.is_empty(), "{}", family.name);
            if seed % 20 == 0 {
                assert_eq!(make().1, group, "{}", family.name);
            }
        }
    }
}
