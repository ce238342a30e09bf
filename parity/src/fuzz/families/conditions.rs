//! Texts that are true or false, or numbers, in many ways.

use crate::fuzz::ChoiceRng;

/// A condition of an If Controller, and whether it is an expression (else JavaScript).
pub(super) fn condition(rng: &mut ChoiceRng, loops: &[String]) -> (String, bool) {
    let turn = "${__counter(TRUE,)}";
    let index = match loops.last() {
        Some(name) => format!("${{__jm__{name}__idx}}"),
        None => "${one}".to_owned(),
    };
    let number = rng.range(0, 2);
    let expressions = [
        "true".to_owned(),
        "${yes}".to_owned(),
        "${no}".to_owned(),
        "false".to_owned(),
        "TRUE".to_owned(),
        "${missing}".to_owned(),
        "${JMeterThread.last_sample_ok}".to_owned(),
        format!("${{__jexl3({turn} % 2 == 0)}}"),
        format!("${{__jexl3({index} == {number})}}"),
        format!("${{__jexl3({index} < {number} || \"${{c}}\" == \"2\")}}"),
        format!("${{__groovy({turn} % 2 == 1)}}"),
        "${__groovy(vars.get(\"c\") == null)}".to_owned(),
        "${__jexl3(\"${JMeterThread.last_sample_ok}\" == \"false\")}".to_owned(),
        "${__isVarDefined(c)}".to_owned(),
    ];
    if rng.chance(85) {
        return (rng.pick(&expressions).clone(), true);
    }
    let scripts = [
        "${one} == 1",
        "\"${c}\" == \"1\"",
        "\"${missing}\" == \"\\${missing}\"",
        "1 > 2",
        "${yes} && !${no}",
    ];
    ((*rng.pick(&scripts)).to_owned(), false)
}

/// A condition of a While Controller that is false every third or fourth time, whatever is inside.
pub(super) fn ending(rng: &mut ChoiceRng) -> String {
    let every = rng.range(2, 4);
    match rng.below(3) {
        0 => format!("${{__jexl3(${{__counter(TRUE,)}} % {every} != 0)}}"),
        1 => format!("${{__groovy(${{__counter(TRUE,)}} % {every} != 0)}}"),
        _ => format!("${{__jexl3(${{__counter(TRUE,)}} % {every} != 0 && ${{yes}})}}"),
    }
}

/// Which child of a Switch Controller.
pub(super) fn choice(rng: &mut ChoiceRng, names: &[String]) -> String {
    let mut choices: Vec<String> =
        ["0", "1", "2", "9", "", "${one}", "${c}", "${missing}", "nothing", "${__counter(TRUE,)}", "-1"]
            .map(str::to_owned)
            .to_vec();
    choices.extend(names.iter().cloned());
    rng.pick(&choices).clone()
}

/// How often a loop runs.
pub(super) fn count(rng: &mut ChoiceRng) -> String {
    let counts = ["1", "2", "2", "3", "0", "", "${one}", "${missing}", "${__intSum(1,1)}", " 2"];
    (*rng.pick(&counts)).to_owned()
}
