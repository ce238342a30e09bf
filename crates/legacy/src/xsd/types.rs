//! From the documents of a schema to its types.

use std::sync::Arc;

use super::automaton::{Content, Particle, Term};
use super::compile::{Compiling, Made, either};
use super::pattern;
use super::schema::{ANY_TYPE, Attributes, ComplexType, ContentType, Type, TypeId};
use super::simple::{Facets, Reading, SimpleType, Space, Variety};
use super::source::At;
use super::value::Value;

/// Bytes that a compiled pattern may take: repetitions such as `.{1,20000}` are usual in schemas.
const PATTERN_BYTES: usize = 64 << 20;

impl Compiling<'_> {
    /// The type of a `simpleType` or `complexType`.
    pub(super) fn type_at(&mut self, at: At) -> Made<TypeId> {
        if let Some(&known) = self.types.get(&at) {
            return Ok(known);
        }
        let is_simple = self.local(at) == "simpleType";
        // Others may refer to it while it is made.
        let id = self.schema.add_type(self.schema.types[ANY_TYPE].clone());
        self.types.insert(at, id);
        if let Some(name) = self.text(at, "name") {
            let name = super::schema::Name::new(&self.source(at).target, name);
            self.schema.global_types.insert(name, id);
        }
        if is_simple {
            self.making.push(id);
            let simple = self.deeper(at, |this| this.simple_type(at, id))?;
            self.making.pop();
            self.schema.types[id] = Type::Simple(Box::new(simple));
        } else {
            let complex = self.deeper(at, |this| this.complex_type(at, id))?;
            self.schema.types[id] = Type::Complex(complex);
        }
        Ok(id)
    }

    fn shown(&self, at: At) -> String {
        self.text(at, "name").map_or_else(|| self.source(at).anonymous(at.node), str::to_owned)
    }

    fn simple_type(&mut self, at: At, id: TypeId) -> Made<SimpleType> {
        let shown = self.shown(at);
        let any_simple = self.any_simple_type();
        self.schema.bases[id] = Some(any_simple);
        if let Some(restriction) = self.child(at, "restriction") {
            let base = self.base_or_inner(restriction, "base")?;
            self.schema.bases[id] = Some(base);
            return self.restricted(restriction, base, shown);
        }
        let facets = Facets::default();
        if let Some(list) = self.child(at, "list") {
            let variety = Variety::List(self.base_or_inner(list, "itemType")?);
            return Ok(SimpleType { shown, variety, space: Space::Collapse, token: None, facets });
        }
        let mut members = Vec::new();
        if let Some(union) = self.child(at, "union") {
            for word in self.text(union, "memberTypes").unwrap_or_default().split_whitespace() {
                let name = self.source(union).name(union.node, word);
                members.push(self.type_of_name(union, word, &name)?);
            }
            for child in self.children(union) {
                members.push(self.type_at(child)?);
            }
        }
        Ok(SimpleType {
            shown,
            variety: Variety::Union(members),
            space: Space::Collapse,
            token: None,
            facets,
        })
    }

    fn base_or_inner(&mut self, at: At, attribute: &str) -> Made<TypeId> {
        match self.child(at, "simpleType") {
            Some(inner) if self.text(at, attribute).is_none() => self.type_at(inner),
            _ => self.type_named(at, attribute),
        }
    }

    /// A simple type with the facets that stand in a node.
    fn restricted(&mut self, at: At, base: TypeId, shown: String) -> Made<SimpleType> {
        let Some(mut simple) = self.schema.simple(base).cloned() else {
            let any = self.any_simple_type();
            return Ok(self.schema.simple(any).expect("it is built in").clone());
        };
        simple.shown = shown;
        let mut patterns = Vec::new();
        let mut enumeration = Vec::new();
        for facet in self.children(at) {
            let Some(text) = self.text(facet, "value") else { continue };
            match self.local(facet) {
                "pattern" => patterns.push(text),
                "enumeration" => enumeration.push(self.facet_value(at, base, text)?),
                "whiteSpace" => {
                    simple.space = match text.trim() {
                        "preserve" => Space::Preserve,
                        "replace" => Space::Replace,
                        _ => Space::Collapse,
                    }
                }
                name @ ("maxInclusive" | "maxExclusive" | "minExclusive" | "minInclusive") => {
                    let value = self.facet_value(at, base, text)?;
                    simple.facets.bound(name, value);
                }
                name => simple.facets.number(name, text),
            }
        }
        if !enumeration.is_empty() {
            simple.facets.enumeration = Some(enumeration);
        }
        if !patterns.is_empty() {
            let pattern = patterns.join("|");
            let compiled = pattern::translate(&pattern).and_then(|expression| {
                let built =
                    fancy_regex::RegexBuilder::new(&expression).delegate_size_limit(PATTERN_BYTES).build();
                built.map_err(|error| error.to_string())
            });
            let compiled = compiled.map_err(|reason| {
                let message = format!(
                    "InvalidRegex: Pattern value '{pattern}' is not a valid regular expression. The reported error was: \
                     '{reason}'."
                );
                self.source(at).fault(at.node, message)
            })?;
            simple.facets.patterns.push((Arc::new(compiled), pattern));
        }
        Ok(simple)
    }

    fn facet_value(&self, at: At, base: TypeId, text: &str) -> Made<Value> {
        let prefix = |prefix: &str| self.source(at).namespace(at.node, prefix);
        let value = self.schema.value(base, text, &Reading { prefix: &prefix });
        value.map_err(|message| self.source(at).fault(at.node, message))
    }

    fn complex_type(&mut self, at: At, id: TypeId) -> Made<ComplexType> {
        let name = self.text(at, "name").map(str::to_owned);
        let is_abstract = self.flag(at, "abstract");
        let (content, attributes) = if let Some(simple) = self.child(at, "simpleContent") {
            self.simple_content(simple, id)?
        } else if let Some(complex) = self.child(at, "complexContent") {
            let mixed = match self.text(complex, "mixed") {
                Some(_) => self.flag(complex, "mixed"),
                None => self.flag(at, "mixed"),
            };
            self.complex_content(complex, id, mixed)?
        } else {
            let particle = self.content_particle(at)?;
            let content = self.content(at, id, particle, self.flag(at, "mixed"))?;
            (content, self.own_attributes(at)?)
        };
        Ok(ComplexType { name, is_abstract, content, attributes })
    }

    fn own_attributes(&mut self, at: At) -> Made<Attributes> {
        let mut attributes = self.attributes(at)?;
        attributes.uses.retain(|one| !one.prohibited);
        Ok(attributes)
    }

    /// The group of elements that stands in a node.
    fn content_particle(&mut self, at: At) -> Made<Option<Particle>> {
        let is_group = |name: &str| matches!(name, "sequence" | "choice" | "all" | "group");
        match self.children(at).into_iter().find(|child| is_group(self.local(*child))) {
            Some(child) => self.particle(child).map(|particle| particle.filter(|one| !one.is_nothing())),
            None => Ok(None),
        }
    }

    fn content(&mut self, at: At, id: TypeId, particle: Option<Particle>, mixed: bool) -> Made<ContentType> {
        if particle.is_none() && !mixed {
            return Ok(ContentType::Empty);
        }
        let empty = || Particle { least: 1, most: Some(1), term: Term::Sequence(Vec::new()) };
        let made = Content::of(particle.as_ref().unwrap_or(&empty()));
        if let Some(particle) = particle {
            self.particles.insert(id, particle);
        }
        let model = made.ok_or_else(|| {
            let message = "Current configuration of the parser doesn't allow a maxOccurs attribute value to be set \
                           greater than the value 3,000.";
            self.source(at).fault(at.node, message.to_owned())
        })?;
        Ok(ContentType::Elements { mixed, model })
    }

    fn complex_content(&mut self, at: At, id: TypeId, mixed: bool) -> Made<(ContentType, Attributes)> {
        let (derivation, extends) = match self.child(at, "extension") {
            Some(extension) => (extension, true),
            None => (self.child(at, "restriction").unwrap_or(at), false),
        };
        let base = self.type_named(derivation, "base")?;
        self.schema.bases[id] = Some(base);
        let own = self.content_particle(derivation)?;
        let base_mixed = matches!(
            self.schema.complex(base).map(|base| &base.content),
            Some(ContentType::Elements { mixed: true, .. })
        );
        let particle = match self.particles.get(&base).cloned().filter(|_| extends) {
            None if extends && base == ANY_TYPE => None,
            None => own,
            Some(before) => match own {
                None => Some(before),
                Some(own) => {
                    Some(Particle { least: 1, most: Some(1), term: Term::Sequence(vec![before, own]) })
                }
            },
        };
        let content = if extends && base == ANY_TYPE {
            self.schema.complex(ANY_TYPE).expect("it is complex").content.clone()
        } else {
            self.content(at, id, particle, mixed || (extends && base_mixed))?
        };
        let attributes = self.derived_attributes(derivation, base, extends)?;
        Ok((content, attributes))
    }

    fn derived_attributes(&mut self, at: At, base: TypeId, extends: bool) -> Made<Attributes> {
        let mut own = self.attributes(at)?;
        let of_base = self.schema.complex(base).map(|base| base.attributes.clone()).unwrap_or_default();
        for inherited in of_base.uses {
            if !own.uses.iter().any(|one| one.declaration.name == inherited.declaration.name) {
                own.uses.push(inherited);
            }
        }
        own.uses.retain(|one| !one.prohibited);
        if extends {
            own.wildcard = either(own.wildcard, of_base.wildcard);
        }
        Ok(own)
    }

    fn simple_content(&mut self, at: At, id: TypeId) -> Made<(ContentType, Attributes)> {
        let (derivation, extends) = match self.child(at, "extension") {
            Some(extension) => (extension, true),
            None => (self.child(at, "restriction").unwrap_or(at), false),
        };
        let base = self.type_named(derivation, "base")?;
        self.schema.bases[id] = Some(base);
        let held = match self.schema.complex(base).map(|base| &base.content) {
            Some(ContentType::Simple(held)) => *held,
            Some(_) => self.any_simple_type(),
            None => base,
        };
        let content = if extends {
            held
        } else {
            let inner = self.child(derivation, "simpleType");
            let from = inner.map_or(Ok(held), |inner| self.type_at(inner))?;
            let shown = self.source(at).anonymous(at.node);
            let simple = self.restricted(derivation, from, shown)?;
            let new = self.schema.add_type(Type::Simple(Box::new(simple)));
            self.schema.bases[new] = Some(from);
            new
        };
        let attributes = self.derived_attributes(derivation, base, extends)?;
        Ok((ContentType::Simple(content), attributes))
    }
}

impl Facets {
    /// Sets a limit. One of its side that the base has does not count any more.
    fn bound(&mut self, name: &str, value: Value) {
        match name {
            "maxInclusive" => (self.max_inclusive, self.max_exclusive) = (Some(value), None),
            "maxExclusive" => (self.max_exclusive, self.max_inclusive) = (Some(value), None),
            "minExclusive" => (self.min_exclusive, self.min_inclusive) = (Some(value), None),
            _ => (self.min_inclusive, self.min_exclusive) = (Some(value), None),
        }
    }

    fn number(&mut self, name: &str, text: &str) {
        let number = text.trim().parse().ok();
        match name {
            "length" => self.length = number,
            "minLength" => self.min_length = number,
            "maxLength" => self.max_length = number,
            "totalDigits" => self.total_digits = number,
            "fractionDigits" => self.fraction_digits = number,
            _ => {}
        }
    }
}
