//! JMeter's unit tests of controllers as tables: the samplers of several runs of the root, in
//! order.

use std::collections::HashSet;
use std::sync::Arc;

use swell_api::SampleResult;
use swell_expr::testing::TestHost;
use swell_expr::{Compiler, Context, Properties, RunInfo, UserIdentity, Vars};

mod choice;
mod hooks;
mod loops;

use super::*;

type Make = fn(&Compiler) -> Kind;

/// A tree of controllers and samplers.
enum T {
    S(&'static str),
    C(Make, &'static str, Vec<T>),
}
use T::{C, S};

/// A user at a tree.
struct Bench {
    controls: Vec<Control>,
    samplers: Vec<&'static str>,
    states: Vec<State>,
    cx: Context,
    around: UserControllerContext,
    /// Controllers receive iterations of those above them, as in a plan; JMeter's unit tests mostly
    /// leave that out.
    wired: bool,
    compiler: Compiler,
}

#[derive(Default)]
struct UserControllerContext {
    now_ns: i64,
    taken: HashSet<Arc<str>>,
    done: Vec<SampleResult>,
    iterations: u32,
}

impl ControllerContext for UserControllerContext {
    fn now_ns(&self) -> i64 {
        self.now_ns
    }

    fn user_iteration(&mut self, _cx: &mut Context) {
        self.iterations += 1;
    }

    fn element_iteration(&mut self, _element: u32, _cx: &mut Context) {}

    fn transaction_done(&mut self, result: SampleResult, _cx: &mut Context) {
        self.done.push(result);
    }

    fn try_lock(&mut self, name: &Arc<str>) -> bool {
        self.taken.insert(name.clone())
    }

    fn unlock(&mut self, name: &Arc<str>) {
        self.taken.remove(name);
    }

    fn later(&mut self, what: Late) {
        unreachable!("{what:?}: all functions of these trees are answered at once");
    }
}

impl Bench {
    fn new(wired: bool, tree: T) -> Self {
        let compiler = Compiler::new(Arc::default());
        let vars = Vars::new(compiler.names.clone());
        let cx = Context {
            vars,
            props: Arc::new(Properties::default()),
            host: Arc::new(TestHost::default()),
            run: Arc::new(RunInfo::default()),
            user: UserIdentity {
                thread_name: "u".into(),
                group_name: "g".into(),
                thread_index: 1,
                group_number: 0,
                group_users: 0,
            },
            sampler_name: "".into(),
            users: None,
            iteration: 0,
            stop: None,
            random: rand::SeedableRng::seed_from_u64(1),
            thrown: None,
            function_states: Vec::new(),
            previous: None,
            heavy: std::rc::Rc::default(),
            unheard: Box::default(),
            backlog: std::cell::OnceCell::new(),
            files_read: swell_expr::FilesRead::default(),
            remote: swell_expr::RemoteMode::Never,
            trace: None,
            recent: None,
        };
        let (controls, samplers, states, around) = Default::default();
        let mut bench = Self { controls, samplers, states, cx, around, wired, compiler };
        bench.add(tree);
        bench.states = bench.controls.iter().map(State::new).collect();
        bench.walk(|walk| walk.initialize(ROOT));
        bench
    }

    fn add(&mut self, tree: T) -> Child {
        let (kind, name, below) = match tree {
            S(name) => {
                self.samplers.push(name);
                return Child::Sampler(SamplerId(self.samplers.len() as u32 - 1));
            }
            C(kind, name, below) => (kind(&self.compiler), name, below),
        };
        let id = ControlId(self.controls.len() as u32);
        let index = Some(self.compiler.names.slot(&format!("__jm__{name}__idx")));
        let children = Vec::new();
        let listeners = Vec::new();
        let name = self.compiler.template(name);
        self.controls.push(Control {
            kind,
            children,
            listeners,
            name,
            shows_index: true,
            index,
            traced: None,
        });
        for child in below {
            let child = self.add(child);
            self.controls[id.0 as usize].children.push(child);
            if let Child::Control(below) = child
                && self.wired
                && self.controls[below.0 as usize].kind.listens()
            {
                self.controls[id.0 as usize].listeners.insert(0, IterationListener::Control(below));
            }
        }
        Child::Control(id)
    }

    fn walk<R>(&mut self, what: impl FnOnce(&mut Walk<'_>) -> R) -> R {
        let states = &mut self.states[..];
        let cx = &mut self.cx;
        let out = &mut self.around;
        what(&mut Walk { controls: &self.controls, states, cx, out })
    }

    fn next(&mut self) -> Option<&'static str> {
        match self.walk(|walk| walk.next(ROOT)).expect("nothing halts here") {
            Some(Next::Sampler(sampler)) => Some(self.samplers[sampler.0 as usize]),
            Some(Next::Transaction(id)) => {
                let running = self.walk(|walk| walk.transaction(id).as_ref().map(|t| (t.sub, t.done)));
                match running {
                    Some((Some(Next::Sampler(sampler)), _)) => Some(self.samplers[sampler.0 as usize]),
                    Some((None, true)) => Some("END"),
                    other => panic!("{:?}", other.map(|(sub, _)| sub)),
                }
            }
            None => None,
        }
    }

    /// The samplers of one run of the root.
    fn run(&mut self) -> String {
        let names: Vec<_> = std::iter::from_fn(|| self.next()).take(200).collect();
        names.join(" ")
    }

    fn runs(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.run()).collect()
    }

    fn var(&self, name: &str) -> Option<String> {
        self.cx.vars.get(name).map(ToString::to_string)
    }
}

const ROOT: ControlId = ControlId(0);

fn simple(name: &'static str, below: Vec<T>) -> T {
    C(|_| Kind::Simple, name, below)
}

fn loop_3(name: &'static str, below: Vec<T>) -> T {
    C(|c| Kind::Loop { loops: c.template("3"), forever: true }, name, below)
}

fn interleave(whole: bool, below: Vec<T>) -> T {
    let kind: fn(&Compiler) -> Kind = if whole {
        |_| Kind::Interleave { whole: true, across_users: false }
    } else {
        |_| Kind::Interleave { whole: false, across_users: false }
    };
    C(kind, "I", below)
}

/// Four, then five and six in a controller, then seven.
fn four_to_seven() -> Vec<T> {
    vec![S("four"), simple("inner", vec![S("five"), S("six")]), S("seven")]
}

const THRICE: &str = "four five six seven four five six seven four five six seven";
