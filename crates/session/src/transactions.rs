//! Which labels of a plan are the parts of which transactions, as far as the plan names them.

use swell_api::{Registry, Role};
use swell_engine::is_transaction;
use swell_plan::{Node, Plan, read};
use swell_report::page::{Part, Transaction};
use swell_run::table_of_elements;

/// The transactions of a plan in its order. Names that are made while it runs (`${…}`) are left
/// out, and so are the files of Include Controllers.
pub fn of_plan(plan: &Plan) -> Vec<Transaction> {
    let resolved = plan.resolve(&mut |_| Err("files are not looked for here".to_owned()));
    let mut search = Search { registry: table_of_elements(), found: Vec::new() };
    search.find(&resolved.root);
    search.found
}

/// The transactions in the text of a plan; an empty list if it cannot be read.
pub(crate) fn of_text(text: &str) -> Vec<Transaction> {
    read(text.as_bytes(), None).plan.as_ref().map(of_plan).unwrap_or_default()
}

struct Search {
    registry: Registry,
    found: Vec<Transaction>,
}

impl Search {
    fn find(&mut self, node: &Node) {
        if self.is_transaction(node) && is_named(node) {
            let mut parts = Vec::new();
            node.children.iter().for_each(|child| self.collect(child, &mut parts));
            if !parts.is_empty() {
                self.found.push(Transaction { label: node.element.name().to_owned(), parts });
            }
        }
        node.children.iter().for_each(|child| self.find(child));
    }

    fn is_transaction(&self, node: &Node) -> bool {
        self.registry.kind(&node.element).is_some_and(|kind| is_transaction(&kind))
    }

    /// The samplers and transactions below, not those within transactions.
    fn collect(&self, node: &Node, parts: &mut Vec<Part>) {
        let transaction = self.is_transaction(node);
        if transaction || self.registry.role(&node.element) == Some(Role::Sampler) {
            let part = Part { label: node.element.name().to_owned(), transaction };
            if is_named(node) && !parts.contains(&part) {
                parts.push(part);
            }
        } else {
            node.children.iter().for_each(|child| self.collect(child, parts));
        }
    }
}

fn is_named(node: &Node) -> bool {
    !node.element.name().contains("${")
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
