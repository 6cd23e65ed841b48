//! Classes of default attributes.

use std::collections::BTreeMap;

use crate::note::ImportError;
use crate::xml::Element;

type Attributes = Vec<(String, String)>;

/// The name of the class of all.
const MAIN: &str = "main";

/// Elements that set the same actuator: attributes that they share count for all of them.
const ACTUATORS: [&str; 9] =
    ["general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion"];

/// Attributes that all actuators share.
const SHARED: [&str; 10] = [
    "ctrllimited",
    "forcelimited",
    "actlimited",
    "ctrlrange",
    "forcerange",
    "actrange",
    "gear",
    "cranklength",
    "group",
    "actdim",
];

#[derive(Debug, Default)]
pub(super) struct Defaults {
    /// Class → element → attributes, those of the classes around it included.
    classes: BTreeMap<String, BTreeMap<String, Attributes>>,
}

impl Defaults {
    pub(super) fn read(root: &Element) -> Result<Self, ImportError> {
        let mut defaults = Self::default();
        defaults.classes.insert(MAIN.to_owned(), BTreeMap::new());
        for element in root.all("default") {
            // The outermost class has any name, and `main` as well.
            defaults.class(element, MAIN, None)?;
        }
        Ok(defaults)
    }

    fn class(&mut self, element: &Element, name: &str, parent: Option<&str>) -> Result<(), ImportError> {
        let mut own = self.classes.get(parent.unwrap_or(name)).cloned().unwrap_or_default();
        for child in element.children.iter().filter(|child| child.name != "default") {
            merge(own.entry(child.name.clone()).or_default(), &child.attributes, &[]);
            if ACTUATORS.contains(&child.name.as_str()) {
                for other in ACTUATORS {
                    merge(own.entry(other.to_owned()).or_default(), &child.attributes, &SHARED);
                }
            }
        }
        self.classes.insert(name.to_owned(), own.clone());
        if parent.is_none()
            && let Some(outermost) = element.get("class")
        {
            self.classes.insert(outermost.to_owned(), own);
        }
        for child in element.all("default") {
            let Some(inner) = child.get("class") else {
                return Err(child.error("a class of defaults inside another one needs a `class`"));
            };
            self.class(child, inner, Some(name))?;
        }
        Ok(())
    }

    /// The element with what its class, or that of the bodies around it, adds.
    pub(super) fn applied(&self, element: &Element, around: Option<&str>) -> Result<Element, ImportError> {
        let class = element.get("class").or(around).unwrap_or(MAIN);
        let found = self.classes.get(class);
        let found = found.ok_or_else(|| element.error(format!("there is no class {class:?} of defaults")))?;
        let mut result = Element { children: element.children.clone(), ..shallow(element) };
        if let Some(defaults) = found.get(&element.name) {
            for (key, value) in defaults {
                let replaced = replaces(key).iter().any(|other| element.get(other).is_some());
                if element.get(key).is_none() && !replaced {
                    result.attributes.push((key.clone(), value.clone()));
                }
            }
        }
        Ok(result)
    }
}

/// One orientation is enough: another form in the element itself takes the place of the default's.
fn replaces(key: &str) -> &'static [&'static str] {
    const FORMS: [&str; 5] = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];
    if FORMS.contains(&key) { &["quat", "axisangle", "euler", "xyaxes", "zaxis"] } else { &[] }
}

fn shallow(element: &Element) -> Element {
    Element {
        name: element.name.clone(),
        attributes: element.attributes.clone(),
        children: Vec::new(),
        text: String::new(),
        place: element.place.clone(),
    }
}

/// Adds or replaces; only the keys `of`, if there are any.
fn merge(into: &mut Attributes, from: &Attributes, of: &[&str]) {
    for (key, value) in from {
        if !of.is_empty() && !of.contains(&key.as_str()) {
            continue;
        }
        match into.iter_mut().find(|(other, _)| other == key) {
            Some((_, old)) => old.clone_from(value),
            None => into.push((key.clone(), value.clone())),
        }
    }
}
