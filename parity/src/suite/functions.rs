//! Functions, each in the body of a request, so that any text may come out.

use swell_plan::{Node, Property, PropertyValue};

use super::draft::Draft;
use super::extractors::regex;
use super::parts::{
    Edit, assertion, debug, element, get, headers, if_of, loop_of, loops, raw, request, set, simple, texts,
    users, variables,
};

pub(super) fn drafts() -> Vec<Draft> {
    vec![
        table("functions_text", "Text to text.", TEXT),
        table("functions_numbers", "Sums, counters, characters.", NUMBERS),
        table("functions_time", "Times that are given.", TIME),
        table("functions_errors", "Functions that fail.", ERRORS),
        table("functions_plain", "Corners of functions.", PLAIN).rule("property own=property value"),
        table("plugin_functions", "Functions of jpgc-functions.", PLUGIN),
        errors_in_places(),
        errors_in_controllers(),
        errors_in_iterations(),
        table("functions_names", "Where one is.", NAMES).rule("property own=property value"),
        table("functions_variables", "Variables and properties.", VARIABLES)
            .rule("property own=property value"),
        table("functions_files", "Files.", FILES),
        table("functions_found", "What random plans found.", FOUND).rule("property own=property value"),
        evaluations(),
        table("functions_xpath", "Nodes of a file.", XPATH),
        table("functions_unknown", "A function that there is not.", UNKNOWN),
        table("functions_unclosed", "A reference that does not end.", UNCLOSED),
        table("functions_regex", "The response before.", REGEX),
        table("scripts_groovy", "Scripts that compare, in Groovy.", GROOVY),
        table("scripts_jexl", "Scripts that compare, in both JEXLs.", JEXL),
        table(
            "scripts_jexl_matches",
            "Operators of JEXL on texts and lists: matches, starts, ends.",
            MATCHES,
        ),
        table(
            "scripts_refused_jexl_matches",
            "Operators of JEXL on patterns and lists that need a script engine.",
            MATCHES_REFUSED,
        ),
        table("scripts_javascript", "Scripts that compare, in JavaScript.", JAVASCRIPT),
        table("scripts_beanshell", "Scripts that compare, in BeanShell.", BEANSHELL)
            .rule("property own=property value"),
        Draft::new("functions_random", "Chance, where there is only one.", [users(bodies(RANDOM))]),
        Draft::new(
            "functions_counter",
            "Each place counts alone.",
            [loops(
                users([
                    raw("own", "POST", "/f", "${__counter(TRUE,own)} ${own}"),
                    raw("all", "POST", "/f", "${__counter(FALSE,)} and ${__counter(FALSE)}"),
                    raw("all again", "POST", "/f", "${__counter(FALSE)}"),
                ]),
                "3",
            )],
        ),
        Draft::new(
            "functions_counter_users",
            "One count for all users, one for each.",
            [loops(
                users([raw("u${__threadNum}", "POST", "/f", "${__counter(TRUE)} ${__counter(FALSE)}")]),
                "2",
            )],
        ),
    ]
}

const THROWS: &str = "${__intSum(x,1)}";

/// An exception in each part of a sample package.
fn errors_in_places() -> Draft {
    let header = headers("headers", &[("X", THROWS)]);
    let post = |name: &str| raw(name, "POST", "/f", "x");
    let judged = assertion("judge", "response_data", 2, &[THROWS]);
    let extractor = regex("extractor", "v", &format!("(o{THROWS})"), "$1$", "1", "none");
    let named = |name: &str| get(name, "/a");
    Draft::new(
        "functions_errors_places",
        "An exception in each part of a sample package.",
        [users([
            get("path", &format!("/a/{THROWS}")),
            request("query", "GET", "/a", &[("a", THROWS)]),
            request("form", "POST", "/a", &[("a", THROWS)]),
            post("header").of([header]),
            named("timer").of([timer(THROWS)]),
            named("timer 2").of([timer("${__time(/0)}")]),
            named("extractor").of([extractor]),
            named("assertion").of([judged]),
            named(&format!("name {THROWS}")),
            simple(
                "transaction",
                [named("first"), named("last").of([regex("extractor", THROWS, "o", "$0$", "1", "")])],
            ),
            named("after all"),
        ])],
    )
}

/// How often texts are evaluated, and what the end of a sequence of files does.
fn evaluations() -> Draft {
    let judged = |name: &str, kind: i32, patterns: &[&str]| {
        raw(name, "POST", "/f", "x").of([assertion("judge", "response_data", kind, patterns)])
    };
    let end = "${__StringFromFile('data/part'#'.txt',line,1,2)}";
    let header = headers("headers", &[("X", end)]);
    let counts = [
        get("name ${__counter(TRUE,)}", "/a"),
        get("redirected ${__counter(TRUE,)}", "/redirect/1"),
        get("failed ${__counter(TRUE,)}", "/drop"),
        debug("debug ${__counter(TRUE,)}"),
        judged("contains", 2, &["x${__counter(TRUE,)}"]),
        judged("equals", 8, &["x${__counter(TRUE,)}"]),
        judged("or", 48, &["x${__counter(TRUE,)}", "y${__counter(TRUE,)}"]),
        raw("end in a header", "POST", "/f", "x").of([header]),
    ];
    let before = [get("stops", "/a").of([variables(&[("v", "1")]), parameters(end)]), get("after", "/a")];
    Draft::new(
        "functions_evaluations",
        "How often texts are evaluated, and what the end of a sequence of files does.",
        [loops(users(counts), "6"), loops(users(before), "6")],
    )
    .flag("TestPlan.serialize_threadgroups", true)
    .rule("mask bytes")
}

fn parameters(value: &str) -> Node {
    let node = element("UserParameters", "UserParametersGui", "parameters", &[]);
    let node = set(node, "UserParameters.names", texts(&["line"]));
    let users = PropertyValue::Collection(vec![Property::new("0", texts(&[value]))]);
    set(node, "UserParameters.thread_values", users).flag("UserParameters.per_iteration", false)
}

fn timer(delay: &str) -> Node {
    element("ConstantTimer", "ConstantTimerGui", "timer", &[("ConstantTimer.delay", delay)])
}

fn errors_in_controllers() -> Draft {
    let never = || get("never", "/a");
    let named = || debug(&format!("debug {THROWS}"));
    Draft::new(
        "functions_errors_controllers",
        "An exception in a controller, or in a name, ends the user.",
        [
            users([get("first", "/a"), if_of("if", THROWS, [never()]), never()]),
            users([get("second", "/a"), loop_of("loop", THROWS, [never()]), get("no number is 0", "/a")]),
            users([get("third", "/a"), loop_of("loop", "${__time(/0)}", [never()]), never()]),
            users([named(), never()]),
            users([named().of([timer("${__time(/0)}")]), never()]),
        ],
    )
    .flag("TestPlan.serialize_threadgroups", true)
}

fn errors_in_iterations() -> Draft {
    let counter = element(
        "CounterConfig",
        "CounterConfigGui",
        "counter",
        &[("CounterConfig.start", "1"), ("CounterConfig.incr", THROWS), ("CounterConfig.name", "n")],
    );
    Draft::new(
        "functions_errors_iterations",
        "An exception where an iteration starts ends the user.",
        [loops(users([counter, get("n is ${n}", "/a")]), "2")],
    )
}

fn table(name: &'static str, about: &'static str, texts: &[&str]) -> Draft {
    let given = variables(&[
        ("a", "1"),
        ("b", "two"),
        ("list", "x,y,,z"),
        ("ref", "b"),
        ("v_1", "one"),
        ("text", "${a} & ${b}"),
    ]);
    Draft::new(name, about, [loops(users([given].into_iter().chain(bodies(texts))), "2")])
}

fn bodies(texts: &[&str]) -> Vec<Node> {
    let numbered = texts.iter().enumerate();
    numbered.map(|(at, text)| raw(&format!("f{}", at + 1), "POST", "/f", text)).collect()
}

const TEXT: &[&str] = &[
    "${__changeCase(ab cD,UPPER)} ${__changeCase(ab cD,LOWER)} ${__changeCase(ab cD,CAPITALIZE)} ${__changeCase(ab cD)}",
    "${__changeCase(ab,nothing,v)} ${v}",
    "${__char(65)}${__char(0x42)}${__char(0103)}${__char(65,66)}",
    "${__escapeHtml(<a href=\"x\">é & 'b'</a>)} ${__unescapeHtml(&lt;&eacute;&#65;&nbsp;&unknown;&gt;)}",
    "${__escapeXml(<a b=\"c\">'&</a>)}",
    "${__escapeOroRegexpChars([^\"].+?,)} ${__escapeOroRegexpChars(a.b*c,v)} ${v}",
    "${__unescape(a\\\\tb\\\\nc\\\\u0041)}",
    "${__urlencode(a b&c=é/+)} ${__urldecode(a%20b+c%C3%A9)}",
    "${__digest(MD5,text,,,)} ${__digest(SHA-256,text,salt,true,d)} ${d}",
    "${__digest(SHA-1,text)} ${__digest(nothing,text)}",
    "${__split(${list},parts)} ${parts} ${parts_n} ${parts_1} ${parts_2} ${parts_3} ${parts_4} ${parts_5}",
    "${__split(a|b,p,|)} ${p_1} ${p_2} ${p_n} ${__split(,e)} ${e_n}",
    "${__eval(${text})} ${__eval(plain)} ${__evalVar(text)} ${__evalVar(missing)}",
    "${__changeCase(a\\,b,UPPER)} ${__changeCase( spaces ,UPPER)}|",
    "${__changeCase(${__changeCase(In(ner),UPPER)},LOWER)}",
];

const FOUND: &[&str] = &[
    "${__uppercase(a,)}|${}|${__MD5(a,)}|${}|${__if(a,a,b,c,)}|${}|${__javaScript(1 + 2,)}|${}|${__intSum(1,6,)}|${}|${__longSum(4,2,)}|${}",
    "${__base64Encode(a, s )}|${ s }|${s}|${__env(NO_SUCH_VARIABLE, t , d )}|${ t }|${__substring(abc,0,1,)}|${}",
    "${__strReplace(a.b,.,x)} ${__strReplace(a1,(\\\\w)(\\\\d),$2$1, u )} ${ u } ${__strReplace(aXb,X*,-)} ${__strReplace(a,a,\\\\$)}",
    "${__strReplace(a,a,$5)}",
    "${__strReplace(a,a,$)}",
    "${__longSum(x,${__setProperty(order,the last is first)})}",
    "${__P(order)} ${__if(a,b,c,d,e,f)}",
    "${__unescapeHtml(&#99999999;)}",
    "${__unescapeHtml(&#x1F600;)} ${__escapeOroRegexpChars(é€😀)}",
    "${__CSVRead(,*own)}",
    "${__FileToString(data/missing.txt,nosuch)} ${__FileToString(data/upload.txt,${none})}",
    "${__intSum(1,2,x${__RandomString(,a)})}",
    "${__split(x${__RandomString(,a)},y)}",
    "${x} ${y} ${y_n}",
    "${__doubleSum(1, x y ,2)}",
    "${__doubleSum(1, ,2)}",
    "${__jexl3(${a})} ${__groovy(${a})} ${__javaScript(${a})}",
];

const NUMBERS: &[&str] = &[
    "${__intSum(1,2,3)} ${__intSum(2,${a},sum)} ${sum} ${__intSum(-5,2)}",
    "${__longSum(1,9223372036854775806)} ${__longSum(1,2,l)} ${l} ${__longSum(9223372036854775807,1)}",
    "${__intSum(2147483647,1)}",
];

const TIME: &[&str] = &[
    "${__timeShift(yyyy-MM-dd,2024-02-28,P2D,,)}",
    "${__timeShift(yyyy-MM-dd HH:mm:ss,2024-01-31 10:00:00,PT-90M,,v)} ${v}",
    "${__timeShift(dd/MMM/yyyy,31/Jan/2024,P30D,en_US,)}",
    "${__timeShift(d MMMM yyyy,3 mars 2024,P1D,fr,)}",
    "${__timeShift('some day',nonsense,P1D,,)}|",
    "${__dateTimeConvert(2024-01-02 03:04:05,yyyy-MM-dd HH:mm:ss,dd.MM.yy HH-mm,)}",
    "${__dateTimeConvert(1704164645000,,yyyy/MM/dd,v)} ${v}",
    "${__dateTimeConvert(x,yyyy,MM)}|",
    "${__time('fixed')}|${__time('a''b',t)}|${t}",
];

/// Functions that fail, and with them the sample.
const ERRORS: &[&str] = &[
    "${__intSum(x,1)}",
    "${__time(/0)}",
    "${__urldecode(%zz)}",
    "${__urldecode(%4x)}",
    "${__urldecode(a%4)}",
    "${__intSum(99999999999,1)} ${__longSum(1.5,1)}",
    "${__Random(5,1)}",
    "${__Random(a,1)}",
    "${__RandomString(x,a)}",
    "${__RandomString(-1,a)}",
    "${__time(bbb)}",
    "${__FileToString(data/upload.txt,no-such-charset)}",
    "${__regexFunction((.),$1$,-1,,none,,list)}",
    "${__regexFunction((.),$1$,x,,none,,list)}",
    "${__regexFunction(*,$1$,1,,none,,list)}|${__regexFunction((.),$1$,9,,none,,list)}",
    "${__unescape(\\\\u12)}",
    "before ${__setProperty(never,${__intSum(x,1)})}",
    "after ${__P(never,not set)}",
    "${__eval(${__intSum(x,1)})}",
];

const NAMES: &[&str] = &[
    "${__threadNum} ${__threadGroupName} ${__samplerName} ${__samplerName(v)} ${v} ${__TestPlanName}",
    "${__jm__Users__idx} ${__P(own)}",
    "${__isPropDefined(START.MS)} ${__isPropDefined(START.YMD)} ${__isPropDefined(START.HMS)} ${__isPropDefined(TESTSTART.MS)}",
    "${__P(jmeter.version)}",
];

const VARIABLES: &[&str] = &[
    "${__V(a)} ${__V(v_${a})} ${__V(missing)} ${__V(missing,default)} ${__V(missing,)}|",
    "${__P(own)} ${__P(missing)} ${__P(missing,x)} ${__P(missing,)}|",
    "${__property(own)} ${__property(own,v,d)} ${v} ${__property(missing)} ${__property(missing,w,d)} ${w}",
    "${__setProperty(new,1)}|${__P(new)} ${__setProperty(new,2,true)} ${__setProperty(new,3,false)}|${__property(new)}",
    "${__isPropDefined(own)} ${__isPropDefined(missing)} ${__isVarDefined(a)} ${__isVarDefined(missing)}",
    "${__log(text)} ${__log(text,OUT)} ${__logn(text)}|",
    "${a}${b} ${ a } ${A}",
    "\\${a} \\\\${a} \\x ${__V(a)}\\",
    "${__threadNum()}|",
];

const FILES: &[&str] = &[
    "${__FileToString(data/upload.txt)}|${__FileToString(data/latin1.csv,ISO-8859-1,v)}|${v}",
    "${__FileToString(data/no-such-file.txt)}",
    "${__StringFromFile(data/lines.txt)} ${__StringFromFile(data/lines.txt,line)} ${line} ${StringFromFile_}",
    "${__StringFromFile(data/part#'.'txt,p,1,2)} ${__StringFromFile(data/no-such-file.txt)}",
    "${__CSVRead(data/users.csv,0)} ${__CSVRead(data/users.csv,1)} ${__CSVRead(data/users.csv,next)}|${__CSVRead(data/users.csv,0)}",
    "${__CSVRead(*alias,0)} ${__CSVRead(data/other.txt,*alias)}|${__CSVRead(*alias,0)}",
    "${__StringToFile(written.txt,line\\\\n,true,UTF-8)} ${__FileToString(written.txt)}",
];

const XPATH: &[&str] = &["${__XPath(data/shop.xml,//name)} ${__XPath(data/shop.xml,//name)}"];

const GROOVY: &[&str] = &[
    "${__groovy(vars.get(\"b\") == 'two')} ${__groovy(\"${b}\" == \"two\" && vars.get('a').toInteger() < 2,v)} ${v}",
    "${__groovy((vars.get('a') as long) - (vars.get('v_1') as long) >= 0)}|${__groovy(${a} + 1)} ${__groovy(${a}/2)} ${__groovy(${a}/3)}",
    "${__groovy(vars.get('missing') == null)} ${__groovy(vars.get('missing').length())}|${__groovy(vars['b'].substring(0\\,2))}",
    "${__groovy(ctx.getThreadNum())} ${__groovy(vars.getIteration() < 3)} ${__groovy(\"${list}\".equals(\"x\") ? 6000 : 0,)}",
    "${__groovy(${b} == 1)}|${__groovy(\"${text}\" == 'x')}|${__groovy(props.get('missing'))}|${__groovy(threadName)}",
];

const JEXL: &[&str] = &[
    "${__jexl3(\"${a}\" == 1)} ${__jexl3(${a} + 1,v)} ${v} ${__jexl3(7/2)} ${__jexl3(\"${b}\" eq 'two' and not false)}",
    "${__jexl3(vars.get(\"b\").length() > 2)} ${__jexl3(vars.get(\"missing\") + 1)}|${__jexl3(empty(vars.get(\"missing\")))}",
    "${__jexl3(!${JMeterThread.last_sample_ok},)} ${__jexl3(\"abc\" < 5)}|${__jexl3(10 / 0)}|${__jexl3(${b} == 1)}|",
    "${__jexl2(\"${a}\" == 1)} ${__jexl2(\"1\" + ${a})} ${__jexl2(7/2)} ${__jexl2(\"abc\" < 5)}|${__jexl2(1.5 * 2)}",
];

const MATCHES: &[&str] = &[
    "${__jexl3(\"${b}\" =~ \"t.*\")} ${__jexl3(\"${b}\" =~ \"w\")} ${__jexl3(\"${b}\" !~ \"t.*\")} ${__jexl3(\"${b}\" !~ \"w\")}",
    "${__jexl2(\"${b}\" =~ \"t.*\")} ${__jexl2(\"${b}\" =~ \"w\")} ${__jexl2(\"${b}\" !~ \"t.*\")} ${__jexl2(\"${b}\" !~ \"w\")}",
    "${__jexl3(\"${b}\" =^ \"tw\")} ${__jexl3(\"${b}\" =$ \"wo\")} ${__jexl3(\"${b}\" !^ \"tw\")} ${__jexl3(\"${b}\" !$ \"wo\")}",
    "${__jexl3(vars.get(\"missing\") =~ \"x\")}|${__jexl2(vars.get(\"missing\") =~ \"x\")}|${__jexl3(\"a.b\" =~ \"a\\\\.b\")}|",
];

/// A list, or a pattern that is not one word, on the right.
const MATCHES_REFUSED: &[&str] = &[
    "${__jexl3(\"${a}\" =~ \"[0-9]+\")} ${__jexl3(${a} =~ \"[0-9]\")} ${__jexl3(vars.get(\"b\") =~ \"two|three\")} ${__jexl3(\"\" =~ \"\")}",
    "${__jexl2(\"${a}\" =~ \"[0-9]+\")} ${__jexl2(${a} =~ \"[0-9]\")} ${__jexl2(vars.get(\"b\") =~ \"two|three\")} ${__jexl2(\"\" =~ \"\")}",
    "${__jexl3(${a} =~ [1\\,2])} ${__jexl3(3 =~ [1\\,2])} ${__jexl3(\"${b}\" =~ [\"one\"\\,\"two\"])} ${__jexl3(\"${b}\" !~ [\"one\"])}",
    "${__jexl2(${a} =~ [1\\,2])} ${__jexl2(3 =~ [1\\,2])} ${__jexl2(\"${b}\" =~ [\"one\"\\,\"two\"])} ${__jexl2(\"${b}\" !~ [\"one\"])}",
    "${__jexl3(\"${text}\" =~ \".*&.*\" && ${a} == 1)} ${__jexl3(!(\"${b}\" =~ \"o.*\"))} ${__jexl3(\"A\" =~ \"(?i)a\")}",
    "${__jexl3(\"x\" =~ \"[\")}|${__jexl2(\"x\" =~ \"[\")}|${__jexl3(\"${list}\" =~ \"x\\,y.*\")}",
];

const JAVASCRIPT: &[&str] = &[
    "${__javaScript(!(\"${b}\" === \"two\" && \"${a}\" === \"1\") || parseInt(\"${a}\") < 50)} ${__javaScript(1/3,v)} ${v}",
    "${__javaScript(vars.get(\"b\") == \"two\")} ${__javaScript(vars.get(\"b\") === \"two\")} ${__javaScript(vars.get(\"a\") < 2)}",
    "${__javaScript(${a} % 2 === 1)} ${__javaScript(10/5)} ${__javaScript(\"${a}\" + 1)} ${__javaScript(null)} ${__javaScript(1e21)}",
    "${__javaScript(Math.max(${a}\\,5))} ${__javaScript(Number(\"x\"))} ${__javaScript(${b} == 1)}|${__javaScript(\"a\" ? 'y' : 'n')}",
];

const BEANSHELL: &[&str] = &[
    "${__BeanShell(\"${b}\".equals(\"two\"))} ${__BeanShell(Integer.parseInt(vars.get(\"a\")) + 1,v)} ${v} ${__BeanShell(7/2)}",
    "${__BeanShell(File.separator,)} ${__BeanShell(props.getProperty(\"own\"))} ${__BeanShell(1 < 2 && 2 < 3)}",
    "${__BeanShell(vars.get(\"missing\") == null)} ${__BeanShell(\"a\" < \"b\")}|${__BeanShell(5 > 4 ? \"y\" : \"n\")}",
];

const PLAIN: &[&str] = &[
    "${__changeCase(,UPPER)}|${__changeCase(aBc dEf-gHi_j,CAPITALIZE)}|${__changeCase(\u{e4}\u{df},UPPER)}",
    "${__char(8364)}|${__char(128512)}|${__char(0x1F600)}",
    "${__digest(MD2,a)} ${__digest(SHA-224,a)} ${__digest(SHA-384,a,b,TRUE)} ${__digest(SHA-512,\u{e4})}",
    "${__escapeHtml(\u{20ac}\u{a9}\u{2264})} ${__unescapeHtml(&euro;&#x20AC;&hearts;&amp;amp;&nosuch;&#xZ;)}",
    "${__escapeXml(\u{1}\u{20ac}]]>)} ${__escapeOroRegexpChars(\\\\\\,a{2}|^$()[]#)}",
    "${__unescape(\\\\t|\\\\'|\\\\x|\\\\101)}",
    "${__urlencode(\u{20ac}~!*'()_-.)} ${__urldecode(%E2%82%AC+%2B)}",
    "${__isVarDefined(a)}|${__isPropDefined(own)}",
    "${__log(m,ERR,x,c)} ${__log(n,nothing)} ${__log(o,INFO,,comment)}|${__logn(p,DEBUG)}|${__logn(q,OUT,r)}",
    "${__longSum(-1,-2,s)} ${s} ${__intSum(1,2,${a},s2)} ${s2} ${__intSum(1,)}|${__longSum(1,)}",
    "${__split(a.b,p,.)} ${p_2}|${__split(;;,q,;)} ${q_n} ${q_1}|${__split(x,r)}${r_n}${r_2}",
    "${__timeShift(,1704164645000,P1D,,)} ${__timeShift(HH:mm,10:00,,,)} ${__timeShift(yyyy,2020,nonsense,,)}",
    "${__timeShift(EEEE d MMM yyyy,Monday 1 Jan 2024,P7D,en_GB,x)} ${x}",
    "${__dateTimeConvert(20240102,yyyyMMdd,EEE dd MMM)} ${__dateTimeConvert(2024,yyyy,yyyy)}|${__dateTimeConvert(abc,,yyyy)}|",
    "${__RandomDate(,2024-01-01,2023-01-01,,)}|${__RandomDate(nonsense b,2024-01-01,2024-01-02,,)}|",
    "${__evalVar(ref)} ${__eval(${__evalVar(text)}-\\${a})} ${__eval(${__V(ref)})}",
    "${__threadGroupName()} ${__samplerName()} ${__TestPlanName()} ${__threadNum()}",
    "${__V(list)} ${__V(${ref})}",
    "${__CSVRead(data/users.csv,x)}|${__CSVRead(data/users.csv,9)}|${__CSVRead(data/no-such.csv,0)}|",
    "${__StringToFile(/no/such/folder/f,x)} ${__StringToFile(w.txt,x,false,no-such-charset)} ${__StringToFile(,x)}",
];

const PLUGIN: &[&str] = &[
    "${__lowercase(AbC \u{c4},v)} ${v} ${__uppercase(abc \u{df},w)} ${w}",
    "${__base64Encode(a\u{e4}\u{20ac},v)} ${v} ${__base64Decode(YcOk,w)} ${w} ${__base64Decode(YQ)}",
    "${__MD5(text,v)} ${v} ${__strLen(a\u{e4}\u{1f600},v)} ${v}",
    "${__doubleSum(1.5,2,3,v)} ${v} ${__doubleSum(1,0.1)} ${__doubleSum(1e10,1)}|${__doubleSum( 2 ,3)}",
    "${__if(a,a,yes,no,v)} ${v} ${__if(a,A,yes,no)} ${__if(${a},1,one,other)}",
    "${__isDefined(a)} ${__isDefined(missing)} ${__isDefined( a )}|${__iterationNum}",
    "${__substring(hello,1,3,v)} ${v} ${__substring(hello, 0 ,5)}",
    "${__chooseRandom(x,x,v)} ${v} ${__chooseRandom(y,y,w)} ${w}",
    "${__caseFormat(hello big-wide_world)} ${__caseFormat(Hello World,UPPER_CAMEL_CASE,v)} ${v} ${__caseFormat(a b,snake_case)}",
    "${__caseFormat(A-b_c D,KEBAB_CASE)} ${__caseFormat(a b,TRAIN_CASE)} ${__caseFormat(a b,UPPER_UNDERSCORE)} ${__caseFormat(a b,x)}",
    "${__env(SWELL_NOT_SET)} ${__env(SWELL_NOT_SET,v,default)} ${v} ${__env(SWELL_NOT_SET,,)}|",
    "${__substring(hello,3,9)}",
    "${__substring(hello,x,9)}",
    "${__doubleSum(x,1)}",
    "${__substring(hello,3,1)}",
    "${__substring(hello,-1,1)}",
];

/// JMeter leaves what it does not know as it is.
const UNKNOWN: &[&str] = &["${__nothing(a)} ${__time2} ${__V(${__nothing(a)})}"];
const UNCLOSED: &[&str] = &["before ${a"];

const REGEX: &[&str] = &[
    "no response before: ${__regexFunction(o(k),$1$,1,,none)}",
    "${__regexFunction(o(k),[$1$],1,,none,r)} ${r} ${r_g0} ${r_g1} ${r_matchNr}",
    "${__regexFunction(zzz,$0$,1,,none)}",
    "${__regexFunction((.),$1$,ALL,-,none)}",
    "${__regexFunction((\\\\d),$1$,2,,none,,text2)} ${__regexFunction(([a-z]),<$1$>,0.5,,none,,list)}",
];

const RANDOM: &[&str] = &[
    "${__Random(5,5)} ${__Random(7,7,r)} ${r}",
    "${__RandomString(3,a)} ${__RandomString(2,b,s)} ${s} ${__RandomString(0,a)}|",
    "${__RandomDate(yyyy-MM-dd,2024-01-01,2024-01-02,,)}",
    "${__RandomFromMultipleVars(none)}|",
];
