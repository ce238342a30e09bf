//! Which labels of a plan are the parts of which transactions, as far as the plan names them.

use swell_api::Role;
use swell_plan::{Node, Plan, read};
use swell_report::page::{Part, Transaction};

/// The transactions of a plan in its order. Names that are made while it runs (`${…}`) are left
/// out, and so are the files of Include Controllers.
pub(crate) fn of_plan(plan: &Plan) -> Vec<Transaction> {
    let resolved = plan.resolve(&mut |_| Err("files are not looked for here".to_owned()));
    let mut all = Vec::new();
    find(&resolved.root, &mut all);
    all
}

/// Those of the text of a plan; none if that is no plan.
pub(crate) fn of_text(text: &str) -> Vec<Transaction> {
    read(text.as_bytes(), None).plan.as_ref().map(of_plan).unwrap_or_default()
}

fn is_transaction(node: &Node) -> bool {
    node.element.class == "TransactionController"
}

fn is_named(node: &Node) -> bool {
    !node.element.name().contains("${")
}

fn find(node: &Node, all: &mut Vec<Transaction>) {
    if is_transaction(node) && is_named(node) {
        let mut parts = Vec::new();
        node.children.iter().for_each(|child| collect(child, &mut parts));
        if !parts.is_empty() {
            all.push(Transaction { label: node.element.name().to_owned(), parts });
        }
    }
    node.children.iter().for_each(|child| find(child, all));
}

/// The samplers and transactions below, not those within transactions.
fn collect(node: &Node, parts: &mut Vec<Part>) {
    let transaction = is_transaction(node);
    if transaction || Role::by_name(&node.element.class) == Some(Role::Sampler) {
        let part = Part { label: node.element.name().to_owned(), transaction };
        if is_named(node) && !parts.contains(&part) {
            parts.push(part);
        }
    } else {
        node.children.iter().for_each(|child| collect(child, parts));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_plan::Element;

    fn node(class: &str, name: &str) -> Node {
        Node::new(Element::new(class, "", name))
    }

    #[test]
    fn parts_are_the_next_samplers_and_transactions_below() {
        let inner = node("TransactionController", "Pay").with(node("HTTPSamplerProxy", "card"));
        let buy = node("TransactionController", "Buy")
            .with(node("ConstantTimer", "pause"))
            .with(node("IfController", "if").with(node("HTTPSamplerProxy", "cart")))
            .with(node("HTTPSamplerProxy", "item ${id}"))
            .with(inner);
        let group = node("ThreadGroup", "buyers").with(buy).with(node("HTTPSamplerProxy", "home"));
        let plan = Plan::new(node("TestPlan", "shop").with(group));
        let part = |label: &str, transaction| Part { label: label.to_owned(), transaction };
        let transaction = |label: &str, parts| Transaction { label: label.to_owned(), parts };
        assert_eq!(
            of_plan(&plan),
            [
                transaction("Buy", vec![part("cart", false), part("Pay", true)]),
                transaction("Pay", vec![part("card", false)])
            ]
        );
        assert_eq!(of_text("no plan"), []);
    }
}
