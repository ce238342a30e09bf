//! Reduces a group in which the programs differ to the smallest one that still differs in the same
//! way.

use std::collections::BTreeSet;

use swell_plan::{Element, Node, NodeId, Property, PropertyValue};

use super::summary::is_usual;

/// Something to remove from a group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cut {
    /// An element and everything below it.
    Drop(u32),
    /// An element, but not the elements below it.
    Lift(u32),
    /// A property of an element, by its path of indexes.
    Strip(u32, Vec<usize>),
}

/// Judges several variants at once: returns for each whether the difference remains.
pub(super) type Differ<'a> = dyn FnMut(&[Vec<Node>]) -> Vec<bool> + 'a;

/// Number of variants tried with one start of JMeter.
pub(super) const AT_ONCE: usize = 30;

/// Numbers all elements; cuts refer to these numbers.
pub(super) fn number(nodes: &mut [Node]) {
    fn visit(node: &mut Node, next: &mut u32) {
        node.id = NodeId(*next);
        *next += 1;
        for child in &mut node.children {
            visit(child, next);
        }
    }
    let mut next = 0;
    for node in nodes {
        visit(node, &mut next);
    }
}

/// Returns the smallest variant for which `differ` reports that the difference remains.
pub(super) fn shrink(nodes: &[Node], differ: &mut Differ<'_>) -> Vec<Node> {
    let mut nodes = nodes.to_vec();
    loop {
        number(&mut nodes);
        let before = nodes.clone();
        for cuts in [drops(&nodes), lifts(&nodes), strips(&nodes)] {
            let kept = without(&nodes, cuts, differ);
            nodes = apply(&nodes, &kept);
            number(&mut nodes);
        }
        // An element kept only because of one that is now gone can be removed in the next round.
        // The first round is nearly always the last.
        if size(&nodes) == size(&before) {
            return nodes;
        }
    }
}

fn size(nodes: &[Node]) -> usize {
    let mut count = 0;
    for node in nodes {
        node.walk(&mut |_| count += 1);
    }
    count
}

/// Returns the cuts that can be made together.
fn without(nodes: &[Node], mut cuts: Vec<Cut>, differ: &mut Differ<'_>) -> BTreeSet<Cut> {
    let mut made = BTreeSet::new();
    while !cuts.is_empty() {
        let next: Vec<Cut> = cuts.drain(..cuts.len().min(AT_ONCE)).collect();
        let with = |more: &[Cut]| made.iter().chain(more).cloned().collect::<BTreeSet<Cut>>();
        let sets: Vec<BTreeSet<Cut>> = next.iter().map(|cut| with(std::slice::from_ref(cut))).collect();
        let variants: Vec<Vec<Node>> = sets.iter().map(|set| apply(nodes, set)).collect();
        let stays = differ(&variants);
        let good: Vec<Cut> =
            next.iter().zip(&stays).filter(|(_, stays)| **stays).map(|(cut, _)| cut.clone()).collect();
        // Try all together, then as many of the first as possible, halving their number.
        let mut count = good.len();
        while count > 1 && !differ(&[apply(nodes, &with(&good[..count]))])[0] {
            count /= 2;
        }
        let set = with(&good[..count]);
        // Retry the remaining cuts once after the others, if there was any progress.
        if count > 0 {
            cuts.splice(0..0, good[count..].iter().cloned());
        }
        made = set;
        cuts.retain(|cut| !is_gone(nodes, &made, cut));
    }
    made
}

/// Whether an element of a cut is below one that is dropped.
fn is_gone(nodes: &[Node], made: &BTreeSet<Cut>, cut: &Cut) -> bool {
    let (Cut::Drop(id) | Cut::Lift(id) | Cut::Strip(id, _)) = cut;
    let mut left = false;
    for node in apply(nodes, made) {
        node.walk(&mut |node| left |= node.id.0 == *id);
    }
    !left
}

/// Returns elements to drop, larger ones first. Of several top-level elements, each may go.
fn drops(nodes: &[Node]) -> Vec<Cut> {
    let mut found = Vec::new();
    for (index, top) in nodes.iter().enumerate() {
        top.walk(&mut |node| {
            if index > 0 || node.id != top.id {
                found.push((size(std::slice::from_ref(node)), node.id.0));
            }
        });
    }
    found.sort_by_key(|(size, id)| (std::cmp::Reverse(*size), *id));
    found.into_iter().map(|(_, id)| Cut::Drop(id)).collect()
}

/// Returns elements below the top level that contain others.
fn lifts(nodes: &[Node]) -> Vec<Cut> {
    let mut found = Vec::new();
    for top in nodes {
        top.walk(&mut |node| {
            if node.id != top.id && !node.children.is_empty() {
                found.push(Cut::Lift(node.id.0));
            }
        });
    }
    found
}

/// Returns properties and members of collections, except those that every element of the class has.
fn strips(nodes: &[Node]) -> Vec<Cut> {
    let mut found = Vec::new();
    for top in nodes {
        top.walk(&mut |node| {
            paths(&node.element, &mut Vec::new(), &mut |path| {
                let property = &node.element.properties[path[0]];
                // A group without its loop is another group, which would be a new difference.
                let is_loop = path.len() == 1 && property.name == "ThreadGroup.main_controller";
                if !is_loop && !is_usual(&node.element.class, property) {
                    found.push(Cut::Strip(node.id.0, path.to_vec()));
                }
            });
        });
    }
    found
}

fn paths(element: &Element, way: &mut Vec<usize>, found: &mut dyn FnMut(&[usize])) {
    paths_of(&element.properties, way, found);
}

fn paths_of(properties: &[Property], way: &mut Vec<usize>, found: &mut dyn FnMut(&[usize])) {
    for (at, property) in properties.iter().enumerate() {
        way.push(at);
        found(way);
        match &property.value {
            PropertyValue::Element(element) => paths(element, way, found),
            PropertyValue::Collection(members) => paths_of(members, way, found),
            _ => {}
        }
        way.pop();
    }
}

/// Returns the group without the cuts.
fn apply(nodes: &[Node], cuts: &BTreeSet<Cut>) -> Vec<Node> {
    nodes.iter().flat_map(|node| apply_to(node, cuts)).collect()
}

fn apply_to(node: &Node, cuts: &BTreeSet<Cut>) -> Vec<Node> {
    if cuts.contains(&Cut::Drop(node.id.0)) {
        return Vec::new();
    }
    let children = apply(&node.children, cuts);
    if cuts.contains(&Cut::Lift(node.id.0)) {
        return children;
    }
    let mut element = node.element.clone();
    // Apply later places first, so that earlier ones keep their positions.
    for cut in cuts.iter().rev() {
        if let Cut::Strip(id, way) = cut
            && *id == node.id.0
        {
            remove(&mut element.properties, way);
        }
    }
    vec![Node { id: node.id, element, children }]
}

fn remove(properties: &mut Vec<Property>, way: &[usize]) {
    match way {
        [at] if *at < properties.len() => drop(properties.remove(*at)),
        [at, rest @ ..] => match properties.get_mut(*at).map(|property| &mut property.value) {
            Some(PropertyValue::Element(element)) => remove(&mut element.properties, rest),
            Some(PropertyValue::Collection(members)) => remove(members, rest),
            _ => {}
        },
        [] => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::grammar::elements;

    /// Returns a thread group with these elements in it, and the elements next to it.
    fn shrunk(inside: &str, beside: &str, stays: impl Fn(&str) -> bool) -> (String, usize) {
        let mut runs = 0;
        let text = |nodes: &[Node]| swell_plan::write(&swell_plan::Plan::new(nodes[0].clone()));
        let mut differ = |variants: &[Vec<Node>]| {
            runs += 1;
            assert!(variants.len() <= AT_ONCE);
            variants.iter().map(|nodes| stays(&text(nodes))).collect()
        };
        let group =
            format!("<ThreadGroup guiclass=\"\" testname=\"\"/><hashTree>{inside}</hashTree>{beside}");
        let small = shrink(&elements(&group), &mut differ);
        (text(&small), runs)
    }

    fn request(name: &str) -> String {
        format!(
            "<HTTPSamplerProxy guiclass=\"\" testname=\"{name}\"><stringProp name=\"p\"/></HTTPSamplerProxy>"
        )
    }

    #[test]
    fn only_what_matters_stays() {
        let deep = "<LoopController guiclass=\"\" testname=\"l\"><stringProp name=\"loops\">2</stringProp></LoopController>
            <hashTree><GenericController guiclass=\"\" testname=\"s\"/><hashTree>
            <HTTPSamplerProxy guiclass=\"\" testname=\"r\"><collectionProp name=\"c\">
            <stringProp name=\"1\">a</stringProp><stringProp name=\"2\">b</stringProp></collectionProp></HTTPSamplerProxy>
            </hashTree></hashTree>";
        let many: String = (0..30).map(|n| request(&format!("n{n}"))).collect();
        let (text, runs) =
            shrunk(&(many + deep), "", |text| text.contains("\"r\"") && text.contains("\"2\">b<"));
        assert!(text.contains("\"2\">b<") && !text.contains(">a<"), "{text}");
        for gone in ["n0", "loops", "GenericController"] {
            assert!(!text.contains(gone), "{gone}: {text}");
        }
        assert!(runs < 40, "{runs}");
    }

    #[test]
    fn two_that_cannot_both_go() {
        let three = ["a", "b", "c"].map(request).concat();
        let (text, _) = shrunk(&three, "", |text| text.contains("\"a\"") || text.contains("\"b\""));
        assert!(text.contains("\"a\"") != text.contains("\"b\"") && !text.contains("\"c\""), "{text}");
    }

    #[test]
    fn what_stands_beside_goes_but_not_the_group() {
        let (text, _) = shrunk(&request("a"), &request("b"), |_| true);
        assert!(text.contains("ThreadGroup") && !text.contains("\"a\""), "{text}");
    }
}
