//! Attributes of an element: those that are there, those that must be, their values.

use super::{Checked, Judge};
use crate::xsd::schema::{AttributeDeclaration, AttributeUse, ComplexType, Name, Process, XSI};
use crate::xsd::value::Primitive;
use swell_query::NodeId;

impl Judge<'_> {
    /// The attributes of an element against its type.
    pub(super) fn attributes(&mut self, node: NodeId, complex: Option<&ComplexType>) -> Checked<()> {
        let document = self.document;
        for attribute in document.attributes(node) {
            let local = document.local_name(attribute);
            if document.namespace(attribute) == XSI
                && ["type", "nil", "schemaLocation", "noNamespaceSchemaLocation"].contains(&local)
            {
                if local == "nil"
                    && Primitive::Boolean.read(document.value(attribute).trim(), &|_| None).is_none()
                {
                    let text = document.value(attribute);
                    return Err(format!(
                        "cvc-datatype-valid.1.2.1: '{text}' is not a valid value for 'boolean'."
                    ));
                }
                continue;
            }
            let Some(complex) = complex else {
                return Err(format!(
                    "cvc-type.3.1.1: Element '{}' is a simple type, so it cannot have attributes, excepting those whose \
                     namespace name is identical to 'http://www.w3.org/2001/XMLSchema-instance' and whose [local name] is \
                     one of 'type', 'nil', 'schemaLocation' or 'noNamespaceSchemaLocation'. However, the attribute, '{}' \
                     was found.",
                    self.name(node),
                    document.name(attribute)
                ));
            };
            self.attribute(node, attribute, complex)?;
        }
        let present = |one: &AttributeUse| {
            let name = &one.declaration.name;
            document.attributes(node).any(|at| name.is(document.namespace(at), document.local_name(at)))
        };
        let uses = complex.map(|complex| &complex.attributes.uses[..]).unwrap_or_default();
        match uses.iter().find(|one| one.required && !present(one)) {
            None => Ok(()),
            Some(AttributeUse { declaration: AttributeDeclaration { name, .. }, .. }) => {
                let belonging = if name.namespace.is_empty() {
                    String::new()
                } else {
                    format!(" belonging to namespace '{}',", name.namespace)
                };
                Err(format!(
                    "cvc-complex-type.4: Attribute '{}'{belonging} must appear on element '{}'.",
                    name.local,
                    self.name(node)
                ))
            }
        }
    }

    fn attribute(&mut self, node: NodeId, attribute: NodeId, complex: &ComplexType) -> Checked<()> {
        let document = self.document;
        let (namespace, local) = (document.namespace(attribute), document.local_name(attribute));
        let not_allowed = || {
            format!(
                "cvc-complex-type.3.2.2: Attribute '{}' is not allowed to appear in element '{}'.",
                document.name(attribute),
                document.name(node)
            )
        };
        let used = complex.attributes.uses.iter().find(|one| one.declaration.name.is(namespace, local));
        let declaration = if let Some(one) = used {
            &one.declaration
        } else {
            let wildcard = complex.attributes.wildcard.as_ref().filter(|any| any.takes(namespace));
            let process = wildcard.ok_or_else(not_allowed)?.process;
            match self.schema.global_attributes.get(&Name::new(namespace, local)) {
                _ if process == Process::Skip => return Ok(()),
                Some(known) => known,
                None if process == Process::Strict => return Err(not_allowed()),
                None => return Ok(()),
            }
        };
        let text = document.value(attribute);
        let value = self.value(node, declaration.of, text)?;
        let is = |fixed: &str| self.value_of(node, declaration.of, fixed).is_ok_and(|fixed| fixed.is(&value));
        let (name, owner) = (document.name(attribute), document.name(node));
        if let Some(fixed) = declaration.fixed.as_deref().filter(|fixed| !is(fixed)) {
            return Err(format!(
                "cvc-attribute.4: The value '{text}' of attribute '{name}' on element '{owner}' is not valid with respect to \
                 its fixed {{value constraint}}. The attribute must have a value of '{fixed}'."
            ));
        }
        if let Some(fixed) = used.and_then(|one| one.fixed.as_deref()).filter(|fixed| !is(fixed)) {
            return Err(format!(
                "cvc-complex-type.3.1: Value '{text}' of attribute '{name}' of element '{owner}' is not valid with respect to \
                 the corresponding attribute use. Attribute '{name}' has a fixed value of '{fixed}'."
            ));
        }
        if self.constrained {
            self.known.values.insert(attribute, value);
        }
        Ok(())
    }
}
