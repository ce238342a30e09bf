//! The list of all functions of Swell.

use std::sync::LazyLock;

use crate::function_table::{ANY, Entry, FunctionInfo, FunctionTable, Implementation, Make, MakeScript};
use crate::functions::{
    change_case, char, counter, csv_read, date_convert, defined, digest, eval, facts, files, log, plugin,
    property, queues, random, random_date, random_from_variables, random_string, regex, set_property, split,
    string_from_file, sum, text, thread_num, time, time_shift, tst_feedback, url, uuid, variable, xpath,
};
use crate::script::function as script_function;

const fn native(name: &'static str, (min, max): (usize, usize), make: Make, doc: &'static str) -> Entry {
    Entry { name, min, max, kind: Implementation::Native(make), doc }
}

const fn script(name: &'static str, make: MakeScript, doc: &'static str) -> Entry {
    Entry { name, min: 1, max: 2, kind: Implementation::Script(make), doc }
}

/// All functions.
pub(crate) static FUNCTIONS: FunctionTable = FunctionTable {
    entries: ENTRIES,
    by_name: LazyLock::new(|| ENTRIES.iter().map(|entry| (entry.name, entry)).collect()),
};

/// All functions that are known, for `swell check` and the documentation.
pub fn functions() -> impl Iterator<Item = FunctionInfo> {
    FUNCTIONS.functions()
}

/// The function of that name, `__` included.
pub fn function(name: &str) -> Option<FunctionInfo> {
    FUNCTIONS.find(name).map(Entry::info)
}

#[rustfmt::skip]
static ENTRIES: &[Entry] = &[
    // Stock functions of JMeter.
    native("__CSVRead", (2, 2), csv_read::make, "(file or `*alias`, column or `next` or `*alias`): a cell of a file, its rows handed out in turn"),
    native("__FileToString", (1, 3), files::read, "(file, charset, variable): a whole file"),
    native("__P", (1, 2), property::p, "(name, default `1`): a property"),
    native("__Random", (2, 3), random::make, "(least, largest, variable): a random whole number, both ends included"),
    native("__RandomDate", (3, 5), random_date::make, "(format, start, end, locale, variable): a random day before the end"),
    native("__RandomFromMultipleVars", (1, 2), random_from_variables::make, "(`a|b`, variable): the value of a random one of several variables"),
    native("__RandomString", (1, 3), random_string::make, "(length, characters, variable): random characters"),
    native("__StringFromFile", (1, 4), string_from_file::make, "(file, variable, start, end): the next line of a file or of numbered files"),
    native("__StringToFile", (2, 4), files::write, "(file, text, append, charset): writes to a file and returns `true` or `false`"),
    native("__TestPlanName", (0, 0), facts::test_plan_name, "(): the file name of the plan"),
    native("__UUID", (0, 0), uuid::make, "(): a random UUID"),
    native("__V", (1, 2), variable::make, "(name, default): the variable whose name is composed of other variables"),
    native("__XPath", (2, 2), xpath::make, "(file, path): the next match of an XPath in a file"),
    native("__changeCase", (1, 3), change_case::change_case, "(text, `UPPER` `LOWER` `CAPITALIZE`, variable): converts the case of a text"),
    native("__char", (1, ANY), char::make, "(number, …): characters by their numbers"),
    native("__counter", (1, 2), counter::make, "(TRUE for each user or FALSE for all, variable): 1, 2, 3, …"),
    native("__dateTimeConvert", (3, 4), date_convert::make, "(date, source format, target format, variable): a date in another format"),
    native("__digest", (2, 5), digest::make, "(algorithm, text, salt, upper case, variable): a digest in hexadecimal digits"),
    native("__escapeHtml", (1, 1), text::escape_html, "(text): with entities of HTML"),
    native("__escapeOroRegexpChars", (1, 2), text::escape_regex, "(text, variable): a text as a regular expression that matches it"),
    native("__escapeXml", (1, 1), text::escape_xml, "(text): with entities of XML"),
    native("__eval", (1, 1), |args, scope| eval::text(args, scope, &FUNCTIONS), "(text): a text with its references replaced"),
    native("__evalVar", (1, 1), |args, scope| eval::variable(args, scope, &FUNCTIONS), "(variable): a variable's text with its references replaced"),
    native("__intSum", (2, ANY), sum::int, "(numbers, …, variable): their sum in 32 bits"),
    native("__isPropDefined", (1, 1), defined::property, "(name): whether there is such a property"),
    native("__isVarDefined", (1, 1), defined::variable, "(name): whether there is such a variable"),
    native("__log", (1, 4), log::log, "(text, level, throwable, comment): logs a text and returns it"),
    native("__logn", (1, 3), log::logn, "(text, level, throwable): logs a text and returns nothing"),
    native("__longSum", (2, ANY), sum::long, "(numbers, …, variable): their sum in 64 bits"),
    native("__machineIP", (0, 1), facts::machine_ip, "(variable): the address of this machine"),
    native("__machineName", (0, 1), facts::machine_name, "(variable): the host name of this machine"),
    native("__property", (1, 3), property::property, "(name, variable, default): a property"),
    native("__regexFunction", (2, 7), regex::make, "(pattern, template, match, between, default, variable, input): groups of a match"),
    native("__samplerName", (0, 1), facts::sampler_name, "(variable): the name of the current sampler"),
    native("__setProperty", (2, 3), set_property::make, "(name, value, true for the old value): sets a property"),
    native("__split", (2, 3), split::make, "(text, variable, delimiters): parts of a text as variables"),
    native("__threadGroupName", (0, 0), facts::thread_group_name, "(): the name of the thread group"),
    native("__threadNum", (0, 0), thread_num::make, "(): the number of the virtual user in its group, from 1"),
    native("__time", (0, 2), time::make, "(format, variable): the time now"),
    native("__timeShift", (4, 5), time_shift::make, "(format, date, shift, locale, variable): a date or now, moved"),
    native("__unescape", (1, 1), text::unescape, "(text): with the escapes of Java replaced"),
    native("__unescapeHtml", (1, 1), text::unescape_html, "(text): with the entities of HTML replaced"),
    native("__urldecode", (1, 1), url::decode, "(text): form-decodes a text (percent-encoding)"),
    native("__urlencode", (1, 1), url::encode, "(text): form-encodes a text (percent-encoding)"),
    // Functions of the plug-in jpgc-functions.
    native("__MD5", (1, ANY), text::md5, "(text, variable): the MD5 digest"),
    native("__base64Decode", (1, 2), text::base64_decode, "(text, variable): from Base64"),
    native("__base64Encode", (1, 2), text::base64_encode, "(text, variable): in Base64"),
    native("__caseFormat", (1, 3), change_case::case_format, "(text, mode, variable): joins the parts of a text as `LOWER_CAMEL_CASE`, `SNAKE_CASE`, …"),
    native("__chooseRandom", (3, ANY), plugin::choose_random, "(values, …, variable): a random one of the values"),
    native("__doubleSum", (2, ANY), plugin::double_sum, "(numbers, …, variable): their sum as a floating point number"),
    native("__env", (1, 3), plugin::env, "(name, variable, default): a variable of the environment"),
    native("__fifoGet", (1, 2), queues::get, "(queue, variable): the first value of a queue, without removing it"),
    native("__fifoPop", (1, 2), queues::pop, "(queue, variable): removes the first value of a queue; `null` immediately where the plug-in waits"),
    native("__fifoPut", (2, 2), queues::put, "(queue, value): appends a value to a queue"),
    native("__fifoSize", (1, 2), queues::size, "(queue, variable): the number of values in a queue"),
    native("__if", (4, ANY), plugin::if_equal, "(actual, expected, then, else, variable): one of two texts"),
    native("__isDefined", (1, ANY), defined::one_or_zero, "(variable): `1` if there is such a variable, else `0`"),
    native("__iterationNum", (0, ANY), facts::iteration_num, "(): the iteration of the thread group, from 1"),
    native("__lowercase", (1, ANY), text::lowercase, "(text, variable): in lower case"),
    native("__strLen", (1, ANY), text::length, "(text, variable): the length"),
    native("__strReplace", (3, ANY), plugin::replace, "(text, search, replacement, variable): with all occurrences replaced"),
    native("__substring", (3, ANY), plugin::substring, "(text, begin, end, variable): a part of a text"),
    native("__tstFeedback", (2, 4), tst_feedback::make, "(timer, start, maximum, spare): the number of users a Throughput Shaping Timer needs"),
    native("__uppercase", (1, ANY), text::uppercase, "(text, variable): in upper case"),
    // Functions that are known but do not run here, or only some of their scripts.
    script("__BeanShell", script_function::bean_shell, "(script, variable): the result of a BeanShell script"),
    script("__groovy", script_function::groovy, "(script, variable): the result of a Groovy script"),
    script("__javaScript", script_function::java_script, "(script, variable): the result of a JavaScript script"),
    script("__jexl2", script_function::jexl2, "(expression, variable): the result of a JEXL 2 expression"),
    script("__jexl3", script_function::jexl3, "(expression, variable): the result of a JEXL 3 expression"),
];
