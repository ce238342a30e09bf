//! Load shapes: how they are drawn, what of a plan they take the place of, what is refused.

use crate::support::{Folder, plan, site};

#[test]
fn a_shape_is_drawn_with_its_figures() {
    let folder = Folder::new();
    let shown = folder.swell(&["shape", "show", "ramp(0..400, 2m)"]).exits(0);
    shown.prints(&["400 ┤", "└──", "1:00", "2:00 long, 0 to 400, 24,000 in all"]);
    let json = folder.swell(&["shape", "show", "--json", "rate: sine(20..2000, period=10m)"]).exits(0).json();
    assert_eq!(
        (json["length_s"].as_f64(), json["levels"].as_array().map(Vec::len)),
        (Some(600.0), Some(101))
    );
    assert!((json["total"].as_f64().expect("a number") - 606_000.0).abs() < 1e-3);
}

#[test]
fn what_is_no_shape_is_refused_with_what_is_one() {
    let folder = Folder::new();
    folder.write("bad.csv", "0,1\n1,x\n");
    for (shape, texts) in [
        ("rmap(0..5, 1m)", ["unknown load profile `rmap`; did you mean `ramp`?", "hint: `swell shape show"]),
        ("hold(5)", ["`hold` requires a time: hold(500, 10m)", "hint"]),
        ("csv(none.csv)", ["`none.csv`: No such file", "hint"]),
        ("csv(bad.csv)", ["`bad.csv`: line 2 is not a time and a level", "hint"]),
        ("log(bad.csv)", ["`bad.csv`: no line has a time", "hint"]),
        ("prometheus(bad.csv)", ["`bad.csv`: the file is not JSON", "hint"]),
    ] {
        folder.swell(&["shape", "show", shape]).refused(&texts);
        folder.swell(&["hit", "http://127.0.0.1:9/", "--shape", shape]).refused(&texts);
    }
    folder
        .swell(&["hit", "http://127.0.0.1:9/", "-r", "5", "--shape", "hold(5, 1s)"])
        .refused(&["does not go with -r"]);
    folder.swell(&["hit", "http://127.0.0.1:9/", "--seed", "5"]).refused(&["--shape"]);
}

#[test]
fn a_group_of_users_has_as_many_as_the_shape_says_and_they_begin_again() {
    let site = site();
    let folder =
        Folder::with_plan([plan::group(2, 1).with(plan::get(site.addr(), "/bytes/10")).with(plan::nap(1))]);
    let run = folder.swell(&["run", "plan.jmx", "-l", "out.jtl", "--shape", "hold(7, 1s)"]).exits(0);
    run.says(&["Load shape, users: ", "1 s long, 7 users, mean 7"]);
    let jtl = folder.jtl("out.jtl");
    let most = jtl.column("allThreads").iter().filter_map(|users| users.parse::<u32>().ok()).max();
    assert!(most.is_some_and(|most| (3..=7).contains(&most)), "{most:?} users at a time");
    assert!(jtl.len() > 14, "users that have done their loop are replaced: {}", jtl.len());
    let refused = |shape: &str, text: &str| {
        folder.swell(&["run", "plan.jmx", "-l", "no.jtl", "--shape", shape]).refused(&[text]);
        assert!(!folder.has("no.jtl"), "nothing ran");
    };
    refused("rate: hold(7, 1s)", "this plan sets users and has no throughput timer");
    refused("atOnceUsers(5) nothingFor(1s)", "this plan sets users and has no throughput timer");
}

#[test]
fn requests_of_a_hit_follow_the_rate_and_end_with_the_shape() {
    let site = site();
    let folder = Folder::new();
    let url = format!("http://{}/", site.addr());
    for arrivals in ["even", "poisson"] {
        let args = [
            "hit",
            &url,
            "-c",
            "20",
            "--shape",
            "hold(100, 1s) hold(0, 1s)",
            "--arrivals",
            arrivals,
            "--seed",
            "4",
            "--json",
        ];
        let ended = folder.swell(&args).exits(0);
        let ended =
            ended.says(&["Load shape, requests a second: ", "2 s long, 0 to 100 a second, 100 in all"]);
        let samples = ended.json()["total"]["samples"].as_u64().expect("a number");
        // A machine that stands still at the end loses some of them; none is too many but by
        // chance.
        let most = if arrivals == "even" { 100 } else { 150 };
        assert!((20..=most).contains(&samples), "{arrivals}: {samples}");
    }
    let users = folder.swell(&["hit", &url, "--shape", "users: hold(5, 300ms)"]).exits(0);
    users.says(&["Load shape, users: "]);
}
