//! Functions of JMeter and of plug-ins in texts of the plan.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use swell_api::{FutureAnswer, Pool, SampleResult, SamplerView, User};
use swell_expr::{Context, RemoteCall, RemoteFault, RemoteFunctions, ScriptPlace, Thrown};

use super::answers::{self, interned};
use super::call::{self, CallFailure, CallView, Reply};
use super::link::SCRIPT_TIMEOUT;
use super::machine::Machine;
use super::session::{Session, on_large_stack};
use super::user::{introduction, parts};
use crate::java_side::JavaSide;
use crate::{JvmAnswer, JvmFault, Status, Transport, request};

/// Functions with scripts. JMeter has them in any case; what their scripts look at is read from the
/// text.
const SCRIPTS: [&str; 6] =
    ["__groovy", "__BeanShell", "__javaScript", "__jexl2", "__jexl3", swell_expr::condition::FUNCTION];

/// The functions of a run that use JMeter's classes.
pub(super) struct JvmFunctions {
    session: Arc<Session>,
    machine: Arc<Machine>,
    /// Scripts that Swell understands run here, too.
    takes_all_scripts: bool,
    places: Mutex<Vec<Arc<Place>>>,
    known: Mutex<HashMap<String, bool>>,
    /// The user for calls before the test.
    before: Mutex<Option<Before>>,
}

/// A user for calls before the test, with the number of the Java side that knows it.
#[derive(Clone, Copy)]
struct Before {
    user: u64,
    side: u32,
}

/// A place in the plan that calls a function.
pub(super) struct Place {
    number: u32,
    name: String,
    /// Function and element, as messages name them.
    shown: Arc<str>,
    arguments: u8,
    /// The number of the Java side that knows it, and what that said; 0: none.
    defined: Mutex<(u32, Result<(), JvmFault>)>,
}

impl Place {
    /// Makes it known to the JVM if that was not done; on a thread that may call it.
    pub(super) fn define(&self, jvm: &JavaSide) -> Result<(), JvmFault> {
        let mut defined = self.defined.lock();
        if defined.0 != jvm.number {
            let mut message = Vec::new();
            request::define_call(&mut message, self.number, &self.name, self.arguments);
            *defined = (jvm.number, jvm.tell(&message));
        }
        defined.1.clone()
    }

    /// The sampler that the function is evaluated for, or the last one, if it may look at that and
    /// the JVM has no element for it itself.
    fn sampler(&self, arguments: &[String], user: &mut User, session: &Session) -> Option<SamplerView> {
        let looks = |text: &String| text.contains("ampler");
        let may_look = !SCRIPTS.contains(&self.name.as_str()) || arguments.iter().any(looks);
        if !may_look {
            return None;
        }
        let kept = user.kept_samplers().now.as_deref()?;
        let class = &kept.texts.class;
        let is_shown = !class.is_empty() && !session.lacks(class);
        is_shown.then(|| SamplerView::Properties(kept.texts.clone()))
    }

    /// Whether the function may look at the sample before.
    fn sees_samples(&self, arguments: &[String]) -> bool {
        let looks = |text: &String| ["prev", "ctx", "ampleResult"].iter().any(|word| text.contains(word));
        !SCRIPTS.contains(&self.name.as_str()) || arguments.iter().any(looks)
    }
}

impl JvmFunctions {
    pub(super) fn new(session: Arc<Session>, machine: Arc<Machine>, takes_all_scripts: bool) -> Self {
        let places = Mutex::default();
        let known = Mutex::default();
        let before = Mutex::default();
        Self { session, machine, takes_all_scripts, places, known, before }
    }

    fn place(&self, number: u32) -> Arc<Place> {
        self.places.lock()[number as usize].clone()
    }

    fn add(&self, name: &str, arguments: usize, element: &ScriptPlace) -> Result<Arc<Place>, String> {
        let arguments = u8::try_from(arguments).map_err(|_| "it has more than 255 arguments".to_owned())?;
        let mut places = self.places.lock();
        let number = u32::try_from(places.len()).expect("a plan has fewer texts");
        let defined = Mutex::new((0, Ok(())));
        let shown = format!("{name} in {element}").into();
        let place = Arc::new(Place { number, name: name.to_owned(), shown, arguments, defined });
        places.push(place.clone());
        Ok(place)
    }

    /// Defines a call, and waits for that.
    fn define_now(&self, place: &Place) -> Result<(), String> {
        let jvm = self.session.jvm()?;
        on_large_stack(|| place.define(&jvm).map_err(|fault| fault.to_string()))
    }

    fn timeout(&self) -> Option<Duration> {
        let ms = self.session.props.get(SCRIPT_TIMEOUT).and_then(|text| text.trim().parse().ok());
        ms.filter(|ms| *ms > 0).map(Duration::from_millis)
    }

    fn wait_for(&self, call: &RemoteCall, cx: &mut Context) -> Result<Vec<u8>, String> {
        let jvm = self.session.jvm()?;
        let mut before = self.before.lock();
        let known = before.filter(|known| known.side == jvm.number);
        let user = known.unwrap_or_else(|| Before { user: Session::user_number(), side: jvm.number }).user;
        let introduction = known.is_none().then(|| introduction(user, cx));
        let place = self.place(call.number);
        let message = call::message_before_test(cx, &self.session, &|out, state| {
            request::evaluate(out, user, call.number, &texts(&call.arguments), state);
        });
        let answer = on_large_stack(|| {
            let told = |fault: JvmFault| fault.to_string();
            place.define(&jvm).map_err(told)?;
            if let Some(introduction) = &introduction {
                jvm.tell(introduction).map_err(told)?;
            }
            let mut answer = Vec::new();
            jvm.call(&message, &mut answer).map_err(told)?;
            Ok(answer)
        })?;
        *before = Some(Before { user, side: jvm.number });
        Ok(answer)
    }
}

impl RemoteFunctions for JvmFunctions {
    fn missing(&self) -> Option<String> {
        self.machine.missing().map(str::to_owned)
    }

    fn takes_all_scripts(&self) -> bool {
        self.takes_all_scripts
    }

    fn knows(&self, name: &str) -> bool {
        if let Some(known) = self.known.lock().get(name) {
            return *known;
        }
        // A function that is there is refused at most for the number of its arguments.
        let defined = self.add(name, 0, &ScriptPlace::default()).and_then(|place| self.define_now(&place));
        let is_known = defined.err().is_none_or(|reason| !reason.contains(&format!("no function {name}")));
        self.known.lock().insert(name.to_owned(), is_known);
        is_known
    }

    fn define(&self, name: &str, arguments: usize, element: &ScriptPlace) -> Result<u32, String> {
        let place = self.add(name, arguments, element)?;
        if !SCRIPTS.contains(&name) {
            self.define_now(&place)?;
        }
        Ok(place.number)
    }

    fn expect(&self) {
        self.machine.begin(&self.session);
    }

    fn call_and_wait(&self, call: &RemoteCall, cx: &mut Context) -> Result<String, RemoteFault> {
        let answer = self.wait_for(call, cx).map_err(RemoteFault::Lost)?;
        let answer = JvmAnswer::read(&answer).map_err(|fault| RemoteFault::Lost(fault.to_string()))?;
        answers::apply_to_context(&self.session, &answer, cx, Some(&self.place(call.number).shown));
        value(&answer)
    }
}

impl swell_api::Functions for JvmFunctions {
    fn call<'a>(
        &'a self,
        call: RemoteCall,
        pool: &'a Arc<Pool>,
        user: &'a mut User,
        sample: Option<&'a mut SampleResult>,
    ) -> FutureAnswer<'a> {
        let number = call.number;
        Box::pin(async move {
            let reply = self.reply(&call, pool, user, sample.as_deref()).await;
            if reply.is_err() {
                parts(user, &self.session, pool).1.begin_anew();
            }
            if let Err(CallFailure::TimedOut(why)) = &reply {
                let place = self.place(number);
                self.session.end_run(&format!("{}: {why}; the test stops at once", place.shown));
            }
            let reply = reply.map_err(without_answer)?;
            let answer =
                JvmAnswer::read(&reply.bytes).map_err(|fault| RemoteFault::Lost(fault.to_string()))?;
            let place = self.place(number);
            answers::apply_to_user(&self.session, pool, &answer, user, sample, Some(&place.shown));
            value(&answer)
        })
    }
}

impl JvmFunctions {
    async fn reply(
        &self,
        call: &RemoteCall,
        pool: &Arc<Pool>,
        user: &mut User,
        sample: Option<&SampleResult>,
    ) -> Result<Reply, CallFailure> {
        let place = self.place(call.number);
        let shows_previous = place.sees_samples(&call.arguments);
        let previous = user.previous.take();
        let seen = sample.or(previous.as_deref()).filter(|_| shows_previous);
        let sampler = place.sampler(&call.arguments, user, &self.session);
        let sees_sampler = sampler.is_some();
        let before = call::take_sampler_before(user, &self.session, pool, sees_sampler, sees_sampler);
        let package = user.package;
        let sampler = sampler.as_ref();
        let shown = CallView {
            shows_previous,
            previous: seen,
            sampler,
            package,
            sampler_before: before.as_deref(),
            ..CallView::default()
        };
        let (cx, known) = parts(user, &self.session, pool);
        let write = |out: &mut Vec<u8>, user: u64, state: &request::CallState<'_>| {
            request::evaluate(out, user, call.number, &texts(&call.arguments), state);
        };
        let messages = call::messages(cx, known, &self.session, shown, &write);
        user.previous = previous;
        if before.is_some() {
            user.kept_samplers().before = before;
        }
        let shown = place.shown.clone();
        let sent = call::send(pool, &self.session, messages, shown, move |jvm| place.define(jvm));
        let reply = call::answer(sent, self.timeout()).await?;
        for bytes in &reply.before {
            let answer = JvmAnswer::read(bytes)?;
            answers::apply_to_user(&self.session, pool, &answer, user, None, None);
            if let Some(fault) = answer.fault.filter(|_| answer.status == Status::Threw) {
                return Err(CallFailure::Failed(answers::text(&fault)));
            }
        }
        Ok(reply)
    }
}

fn texts(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

/// How the end of a child process affects a call: its user can continue with the next sample.
fn without_answer(reason: CallFailure) -> RemoteFault {
    match reason {
        CallFailure::Lost(message) => RemoteFault::Thrown(Thrown { class: "swell.JvmProcessEnded", message }),
        CallFailure::TimedOut(why) | CallFailure::EndsUser(why) | CallFailure::Failed(why) => {
            RemoteFault::Lost(why)
        }
    }
}

/// What the function gave.
fn value(answer: &JvmAnswer<'_>) -> Result<String, RemoteFault> {
    let value = answer.value.unwrap_or_default();
    match (answer.status, &answer.fault) {
        // JMeter leaves the text empty, and logs that.
        (Status::Threw, Some(fault)) if fault.class.ends_with(".InvalidVariableException") => {
            Err(RemoteFault::Empty(fault.message.to_owned()))
        }
        (Status::Threw, Some(fault)) => Err(RemoteFault::Thrown(Thrown {
            class: interned(fault.class),
            message: fault.message.to_owned(),
        })),
        // The function has logged it, and set no variable.
        (Status::Failed, _) if value.is_empty() => Err(RemoteFault::Empty(String::new())),
        _ => Ok(value.to_owned()),
    }
}
