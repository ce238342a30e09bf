//! The native interface of the JVM: all `unsafe` of this crate.
//!
//! Invariants: the JVM is created once, on a separate thread with a large stack, and lives as long
//! as the process. Each thread that calls it is attached as a daemon on its first call, and
//! detached when it ends. Buffers that Java sees belong to their thread, and do not move as long as
//! Java has a reference to them.
#![expect(unsafe_code, reason = "the JVM's interface is a C interface")]

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_void};
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicI64, Ordering};

use jni_sys::{
    JNI_OK, JNI_VERSION_1_8, JNIEnv, JavaVM, JavaVMInitArgs, JavaVMOption, jclass, jint, jmethodID, jobject,
    jvalue,
};
use libloading::Library;

use crate::JvmFault;

/// `JNI_CreateJavaVM`.
type Create = unsafe extern "system" fn(*mut *mut JavaVM, *mut *mut c_void, *mut c_void) -> jint;

/// Stack of the thread that creates the JVM. The first of Java's code needs more than a thread of
/// Rust has by default.
const STACK: usize = 16 << 20;

/// A created JVM with the entry points of the Java side.
#[derive(Clone, Copy)]
pub(crate) struct Machine {
    vm: *mut JavaVM,
    class: jclass,
    call: jmethodID,
    fetch: jmethodID,
}

// SAFETY: the pointer to the JVM may be used on any thread (JNI specification, "The Invocation
// API"); the class is a global reference, and ids of methods are not bound to threads either.
unsafe impl Send for Machine {}
// SAFETY: as above; nothing in it changes.
unsafe impl Sync for Machine {}

impl Machine {
    /// Creates the JVM of this process. `on_exit` is called by the JVM when Java code ends the
    /// process, `on_crash` when native code crashes it.
    ///
    /// # Errors
    /// As text.
    pub(crate) fn create(
        libjvm: &Path,
        options: &[String],
        on_exit: extern "C" fn(i32),
        on_crash: extern "C" fn(),
    ) -> Result<Self, String> {
        let thread = std::thread::Builder::new().name("jvm-start".to_owned()).stack_size(STACK);
        std::thread::scope(|scope| {
            let created = thread.spawn_scoped(scope, || {
                // The JVM's own threads, which collect garbage and compile, are started from this
                // one and take after it.
                swell_net::machine::give_way();
                create_here(libjvm, options, on_exit, on_crash)
            });
            let created = created.map_err(|e| format!("cannot start a thread for it: {e}"))?;
            created.join().unwrap_or_else(|_| Err("the thread that creates it has panicked".to_owned()))
        })
    }

    /// Sends a request from this thread and replaces `answer`.
    ///
    /// # Errors
    /// The thread could not be attached, Java threw what our Java side does not catch, or Java code
    /// has ended the process.
    pub(crate) fn call(self, request: &[u8], answer: &mut Vec<u8>) -> Result<(), JvmFault> {
        if let Some(status) = exit_status() {
            return Err(JvmFault::Exited(status));
        }
        ATTACHED.with_borrow_mut(|attached| {
            let attached = match attached {
                Some(attached) => attached,
                none => none.insert(Attached::new(self)?),
            };
            attached.call(request, answer)
        })
    }
}

fn create_here(
    libjvm: &Path,
    options: &[String],
    on_exit: extern "C" fn(i32),
    on_crash: extern "C" fn(),
) -> Result<Machine, String> {
    // SAFETY: loading a library runs its initialisers; those of libjvm only register themselves.
    let library = unsafe { Library::new(libjvm) }.map_err(|e| e.to_string())?;
    // SAFETY: every libjvm exports this symbol with this type (JNI specification, "The Invocation
    // API").
    let create = unsafe { library.get::<Create>(b"JNI_CreateJavaVM\0") }.map_err(|e| e.to_string())?;
    let texts = options.iter().map(|option| CString::new(option.as_str()));
    let texts: Vec<CString> =
        texts.collect::<Result<_, _>>().map_err(|_| "an option holds a zero byte".to_owned())?;
    let mut list: Vec<JavaVMOption> = texts
        .iter()
        .map(|text| JavaVMOption { optionString: text.as_ptr().cast_mut(), extraInfo: ptr::null_mut() })
        .collect();
    list.push(JavaVMOption { optionString: c"exit".as_ptr().cast_mut(), extraInfo: on_exit as *mut c_void });
    list.push(JavaVMOption {
        optionString: c"abort".as_ptr().cast_mut(),
        extraInfo: on_crash as *mut c_void,
    });
    let mut arguments = JavaVMInitArgs {
        version: JNI_VERSION_1_8,
        nOptions: list.len() as jint,
        options: list.as_mut_ptr(),
        ignoreUnrecognized: false,
    };
    reset_fault_signals();
    let mut vm = ptr::null_mut();
    let mut env = ptr::null_mut();
    // SAFETY: the arguments live until the call returns, and the JVM copies what it keeps of them.
    let code = unsafe { create(&raw mut vm, &raw mut env, (&raw mut arguments).cast()) };
    if code != JNI_OK {
        return Err(format!("JNI_CreateJavaVM gave {code}"));
    }
    // The JVM cannot be unloaded.
    std::mem::forget(library);
    // SAFETY: both come from the JVM, and this thread is the one that `env` belongs to.
    unsafe { entries(vm, env.cast()) }
}

/// Our entries on the Java side; detaches this thread.
///
/// # Safety
/// `env` is that of this thread in `vm`.
unsafe fn entries(vm: *mut JavaVM, env: *mut JNIEnv) -> Result<Machine, String> {
    // SAFETY: by the caller's contract `env` is valid on this thread; names and signatures end with
    // a zero byte; no exception is pending when the next call is made, since each failure leaves
    // this function.
    unsafe {
        let table = &(**env).v1_4;
        let missing = |what: &str| format!("the Java side has no {what}: is the class path complete?");
        let local = (table.FindClass)(env, c"swell/jvm/Bridge".as_ptr());
        if local.is_null() {
            (table.ExceptionDescribe)(env);
            return Err(missing("swell.jvm.Bridge"));
        }
        let class = (table.NewGlobalRef)(env, local);
        let method = |name: &CStr, signature: &CStr| {
            let id = (table.GetStaticMethodID)(env, class, name.as_ptr(), signature.as_ptr());
            if id.is_null() { Err(missing(&name.to_string_lossy())) } else { Ok(id) }
        };
        let machine = Machine {
            vm,
            class,
            call: method(c"call", c"(Ljava/nio/ByteBuffer;ILjava/nio/ByteBuffer;)I")?,
            fetch: method(c"fetch", c"(Ljava/nio/ByteBuffer;)I")?,
        };
        ((**vm).v1_4.DetachCurrentThread)(vm);
        Ok(machine)
    }
}

/// The JVM would chain to the handlers that Rust's runtime has installed, and a crash would leave
/// neither Rust's message nor the JVM's report. With the default action in place there is the JVM's
/// report.
fn reset_fault_signals() {
    for signal in [libc::SIGSEGV, libc::SIGBUS] {
        // SAFETY: resetting a signal to its default action touches no memory of ours.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// The number of this thread in the system, also on a thread of the JVM and in a signal handler.
pub(crate) fn thread_number() -> i32 {
    swell_net::machine::thread_id().cast_signed()
}

/// The status that Java code has ended the process with; negative if it has not.
static EXIT_STATUS: AtomicI64 = AtomicI64::new(-1);

/// The status that Java code has ended the process with. A thread that enters the JVM from then on
/// never comes back.
pub(crate) fn exit_status() -> Option<i32> {
    i32::try_from(EXIT_STATUS.load(Ordering::SeqCst)).ok().filter(|status| *status >= 0)
}

/// Notes that Java code has ended the process. The system sees eight bits of a status.
pub(crate) fn set_exit_status(status: i32) {
    EXIT_STATUS.store(i64::from(status & 0xff), Ordering::SeqCst);
}

thread_local! {
    static ATTACHED: RefCell<Option<Attached>> = const { RefCell::new(None) };
}

/// A buffer that Java sees as a direct `ByteBuffer`.
struct Shared {
    bytes: Box<[u8]>,
    buffer: jobject,
}

/// This thread, attached to the JVM.
struct Attached {
    machine: Machine,
    env: *mut JNIEnv,
    request: Shared,
    answer: Shared,
}

/// What a buffer has at first, in bytes; what it has at most once its content is small again.
const ROOM: usize = 16 << 10;
const KEPT: usize = 1 << 20;

impl Attached {
    fn new(machine: Machine) -> Result<Self, JvmFault> {
        let mut env = ptr::null_mut();
        // SAFETY: the JVM lives as long as the process; no arguments are allowed.
        let code = unsafe {
            ((**machine.vm).v1_4.AttachCurrentThreadAsDaemon)(machine.vm, &raw mut env, ptr::null_mut())
        };
        if code != JNI_OK {
            return Err(JvmFault::Attach(code));
        }
        let env = env.cast();
        let request = Shared { bytes: Box::new([]), buffer: ptr::null_mut() };
        let answer = Shared { bytes: Box::new([]), buffer: ptr::null_mut() };
        let mut attached = Self { machine, env, request, answer };
        attached.request.resize(env, ROOM)?;
        attached.answer.resize(env, ROOM)?;
        Ok(attached)
    }

    fn call(&mut self, request: &[u8], answer: &mut Vec<u8>) -> Result<(), JvmFault> {
        let used = request.len();
        if used > self.request.bytes.len() || (self.request.bytes.len() > KEPT && used <= ROOM) {
            self.request.resize(self.env, used.max(ROOM).next_power_of_two())?;
        }
        self.request.bytes[..used].copy_from_slice(request);
        let length = jint::try_from(used)
            .map_err(|_| JvmFault::BadAnswer("a request of more than 2 GB".to_owned()))?;
        let arguments =
            [jvalue { l: self.request.buffer }, jvalue { i: length }, jvalue { l: self.answer.buffer }];
        let mut length = self.call_static(self.machine.call, &arguments)?;
        if length < 0 {
            let needed = length.unsigned_abs() as usize;
            self.answer.resize(self.env, needed.next_power_of_two())?;
            length = self.call_static(self.machine.fetch, &[jvalue { l: self.answer.buffer }])?;
        }
        let length =
            usize::try_from(length).map_err(|_| JvmFault::BadAnswer(format!("a length of {length}")))?;
        answer.clear();
        answer.extend_from_slice(&self.answer.bytes[..length]);
        if self.answer.bytes.len() > KEPT && length <= ROOM {
            self.answer.resize(self.env, ROOM)?;
        }
        Ok(())
    }

    fn call_static(&mut self, method: jmethodID, arguments: &[jvalue]) -> Result<jint, JvmFault> {
        // SAFETY: the thread is attached and `env` is its own; the method is static in this class
        // and takes these arguments. Java writes to the buffers only while it runs, and no
        // reference of ours to them is alive during that.
        unsafe {
            let table = &(**self.env).v1_4;
            let length =
                (table.CallStaticIntMethodA)(self.env, self.machine.class, method, arguments.as_ptr());
            if (table.ExceptionCheck)(self.env) {
                (table.ExceptionDescribe)(self.env);
                (table.ExceptionClear)(self.env);
                let message = "its exception is on standard error".to_owned();
                return Err(JvmFault::Refused { class: "an uncaught exception".to_owned(), message });
            }
            Ok(length)
        }
    }
}

impl Shared {
    /// Makes new room of that many bytes; what was in it is gone.
    fn resize(&mut self, env: *mut JNIEnv, bytes: usize) -> Result<(), JvmFault> {
        let mut room = vec![0; bytes].into_boxed_slice();
        // SAFETY: this thread is attached and `env` is its own. The room stays where it is until
        // `Shared` lets go of it, after the reference to its buffer; Java keeps none beyond a call.
        unsafe {
            let table = &(**env).v1_4;
            let local = (table.NewDirectByteBuffer)(env, room.as_mut_ptr().cast(), bytes as i64);
            let global = if local.is_null() { local } else { (table.NewGlobalRef)(env, local) };
            if global.is_null() {
                (table.ExceptionClear)(env);
                return Err(JvmFault::Refused {
                    class: "java.lang.OutOfMemoryError".to_owned(),
                    message: format!("cannot create a buffer of {bytes} bytes"),
                });
            }
            (table.DeleteLocalRef)(env, local);
            self.release(env);
            self.buffer = global;
        }
        self.bytes = room;
        Ok(())
    }

    fn release(&mut self, env: *mut JNIEnv) {
        if !self.buffer.is_null() {
            // SAFETY: a global reference that is deleted once; `env` is that of this thread.
            unsafe { ((**env).v1_4.DeleteGlobalRef)(env, self.buffer) };
            self.buffer = ptr::null_mut();
        }
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        // No thread comes back from a JVM that has ended.
        if exit_status().is_some() {
            return;
        }
        self.request.release(self.env);
        self.answer.release(self.env);
        // SAFETY: this thread was attached by `new`, and runs no Java code now.
        unsafe { ((**self.machine.vm).v1_4.DetachCurrentThread)(self.machine.vm) };
    }
}
