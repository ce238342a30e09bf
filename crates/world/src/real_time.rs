//! Aborts where a world asks for real time, and answers it where it asks for randomness.
//!
//! The functions here take the place of the C library's in a test program that links this crate. On
//! threads without a world they do what the library's do.
#![expect(
    unsafe_code,
    reason = "functions of the C library have no safe form; each block states why it is sound"
)]

use std::cell::Cell;
use std::ffi::{CStr, c_int, c_long, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

thread_local! {
    /// The state of the world's random bytes; none: this thread has no world.
    static WORLD: Cell<Option<u64>> = const { Cell::new(None) };
}

/// This thread is a world's until the guard is dropped. `seed`: of the random bytes that it gets,
/// such as for the hash of maps.
pub(crate) fn forbid(seed: u64) -> RealTimeForbidden {
    WORLD.set(Some(seed));
    RealTimeForbidden(())
}

pub(crate) struct RealTimeForbidden(());

impl Drop for RealTimeForbidden {
    fn drop(&mut self) {
        WORLD.set(None);
    }
}

fn is_world() -> bool {
    WORLD.try_with(Cell::get).ok().flatten().is_some()
}

/// Ends the process: an error could be swallowed.
fn refuse(function: &str) -> ! {
    // Printing may ask for the time.
    let _ = WORLD.try_with(Cell::take);
    let trace = std::backtrace::Backtrace::force_capture();
    eprintln!(
        "{function} was called inside a world, whose time is simulated: use swell_net::now_ns and sleeps\n{trace}"
    );
    std::process::abort()
}

/// The C library's own function of this name.
fn library(name: &CStr, place: &AtomicPtr<c_void>) -> *mut c_void {
    let known = place.load(Ordering::Relaxed);
    if !known.is_null() {
        return known;
    }
    // SAFETY: the name ends in a zero byte; the next object that has it is the C library.
    let found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    assert!(!found.is_null(), "the C library has {name:?}");
    place.store(found, Ordering::Relaxed);
    found
}

/// The C library's, but for worlds.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn clock_gettime(clock: libc::clockid_t, time: *mut libc::timespec) -> c_int {
    type Function = unsafe extern "C" fn(libc::clockid_t, *mut libc::timespec) -> c_int;
    static PLACE: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
    let is_cpu_time = [libc::CLOCK_THREAD_CPUTIME_ID, libc::CLOCK_PROCESS_CPUTIME_ID].contains(&clock);
    if !is_cpu_time && is_world() {
        refuse("clock_gettime");
    }
    // SAFETY: it is the library's function of this name, which has this type.
    let function: Function = unsafe { std::mem::transmute(library(c"clock_gettime", &PLACE)) };
    // SAFETY: as the caller's.
    unsafe { function(clock, time) }
}

/// The C library's, but for worlds.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn clock_nanosleep(
    clock: libc::clockid_t,
    flags: c_int,
    time: *const libc::timespec,
    left: *mut libc::timespec,
) -> c_int {
    type Function =
        unsafe extern "C" fn(libc::clockid_t, c_int, *const libc::timespec, *mut libc::timespec) -> c_int;
    static PLACE: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
    if is_world() {
        refuse("clock_nanosleep");
    }
    // SAFETY: it is the library's function of this name, which has this type.
    let function: Function = unsafe { std::mem::transmute(library(c"clock_nanosleep", &PLACE)) };
    // SAFETY: as the caller's.
    unsafe { function(clock, flags, time, left) }
}

/// The C library's, but for worlds.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn nanosleep(time: *const libc::timespec, left: *mut libc::timespec) -> c_int {
    type Function = unsafe extern "C" fn(*const libc::timespec, *mut libc::timespec) -> c_int;
    static PLACE: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
    if is_world() {
        refuse("nanosleep");
    }
    // SAFETY: it is the library's function of this name, which has this type.
    let function: Function = unsafe { std::mem::transmute(library(c"nanosleep", &PLACE)) };
    // SAFETY: as the caller's.
    unsafe { function(time, left) }
}

/// The next random number of a world (SplitMix64).
fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The C library's; in a world the bytes are those of its seed.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn getrandom(into: *mut c_void, length: usize, flags: u32) -> isize {
    let Some(mut state) = WORLD.try_with(Cell::get).ok().flatten() else {
        let length = length as c_long;
        // SAFETY: as the caller's.
        return unsafe { libc::syscall(libc::SYS_getrandom, into, length, c_long::from(flags)) as isize };
    };
    for at in 0..length {
        // SAFETY: the caller has room for `length` bytes.
        unsafe { into.cast::<u8>().add(at).write(next_random(&mut state) as u8) };
    }
    WORLD.set(Some(state));
    length as isize
}
