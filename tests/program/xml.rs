//! A strict reader of XML, for the subset without comments, CDATA and namespaces, and of JUnit files.

/// An element, with its own text.
#[derive(Debug)]
pub struct Element {
    pub name: String,
    attributes: Vec<(String, String)>,
    pub children: Vec<Self>,
    pub text: String,
}

impl Element {
    /// The value of an attribute that must be there.
    #[track_caller]
    pub fn attribute(&self, name: &str) -> &str {
        let found = self.attributes.iter().find(|(key, _)| key == name);
        &found.unwrap_or_else(|| panic!("{} has no {name}", self.name)).1
    }

    /// The number in an attribute that must be there.
    #[track_caller]
    pub fn number(&self, name: &str) -> usize {
        self.attribute(name).parse().expect("a number")
    }
}

struct Reader<'a> {
    rest: &'a str,
}

/// Reads a document; the error says what is wrong with it.
pub fn read(text: &str) -> Result<Element, String> {
    let is_allowed = |letter: char| {
        matches!(letter, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
            || letter >= '\u{10000}'
    };
    if let Some(letter) = text.chars().find(|&letter| !is_allowed(letter)) {
        return Err(format!("{letter:?} is not allowed"));
    }
    let mut reader = Reader { rest: text };
    reader.expect("<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    reader.skip_blanks();
    let root = reader.element()?;
    reader.skip_blanks();
    if reader.rest.is_empty() { Ok(root) } else { Err(format!("more after </{}>", root.name)) }
}

impl<'a> Reader<'a> {
    fn expect(&mut self, text: &str) -> Result<(), String> {
        let start: String = self.rest.chars().take(30).collect();
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.ok_or(format!("{start:?} in place of {text:?}"))?;
        Ok(())
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
    }

    /// The text before one of these characters.
    fn until(&mut self, ends: &[char]) -> Result<&'a str, String> {
        let end = self.rest.find(ends).ok_or("the text ends early")?;
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(text)
    }

    fn name(&mut self) -> Result<String, String> {
        let name = self.until(&['=', ' ', '/', '>', '\n'])?;
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        match !name.is_empty() && name.chars().all(is_name) {
            true => Ok(name.to_owned()),
            false => Err(format!("{name:?} is not a name")),
        }
    }

    fn element(&mut self) -> Result<Element, String> {
        self.expect("<")?;
        let name = self.name()?;
        let mut element =
            Element { name, attributes: Vec::new(), children: Vec::new(), text: String::new() };
        loop {
            let before = self.rest.len();
            self.skip_blanks();
            if let Some(rest) = self.rest.strip_prefix("/>") {
                self.rest = rest;
                return Ok(element);
            }
            if let Some(rest) = self.rest.strip_prefix('>') {
                self.rest = rest;
                break;
            }
            if before == self.rest.len() {
                return Err(format!("no blank before an attribute of {}", element.name));
            }
            let key = self.name()?;
            self.expect("=\"")?;
            let value = unescaped(self.until(&['"', '<'])?)?;
            self.expect("\"")?;
            if element.attributes.iter().any(|(other, _)| *other == key) {
                return Err(format!("{key} twice in {}", element.name));
            }
            element.attributes.push((key, value));
        }
        loop {
            element.text += &unescaped(self.until(&['<'])?)?;
            if self.rest.starts_with("</") {
                self.expect(&format!("</{}>", element.name))?;
                return Ok(element);
            }
            element.children.push(self.element()?);
        }
    }
}

/// Text with its entities replaced.
fn unescaped(text: &str) -> Result<String, String> {
    if text.contains("]]>") {
        return Err("]]> in text".to_owned());
    }
    let mut parts = text.split('&');
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (entity, rest) = part.split_once(';').ok_or(format!("& before {part:?}"))?;
        result.push(match entity {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            _ => {
                let code = entity.strip_prefix('#').and_then(|code| code.parse().ok());
                code.and_then(char::from_u32).ok_or(format!("no entity {entity:?}"))?
            }
        });
        result += rest;
    }
    Ok(result)
}

/// Reads a JUnit file, checks its form and its totals, and returns the test cases.
#[track_caller]
pub fn junit_cases(text: &str) -> Vec<Element> {
    let root = read(text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
    assert_eq!(root.name, "testsuites");
    let sum = |elements: &[Element], name: &str| -> usize {
        elements.iter().map(|element| element.number(name)).sum()
    };
    for name in ["tests", "failures", "errors", "skipped"] {
        assert_eq!(root.number(name), sum(&root.children, name), "{name}:\n{text}");
    }
    let seconds = |element: &Element| -> f64 { element.attribute("time").parse().expect("a time") };
    let is_sum = |element: &Element| {
        let sum: f64 = element.children.iter().map(seconds).sum();
        (sum - seconds(element)).abs() < 0.01
    };
    assert!(is_sum(&root), "{text}");
    let mut cases = Vec::new();
    for suite in root.children {
        assert_eq!(suite.name, "testsuite");
        assert_eq!(suite.number("tests"), suite.children.len(), "{text}");
        assert!(is_sum(&suite), "{text}");
        for (total, name) in [("failures", "failure"), ("errors", "error"), ("skipped", "skipped")]
        {
            let has = |case: &&Element| case.children.iter().any(|child| child.name == name);
            let count = suite.children.iter().filter(has).count();
            assert_eq!(suite.number(total), count, "{total}:\n{text}");
        }
        for case in &suite.children {
            assert_eq!(case.name, "testcase");
            assert!(!case.attribute("name").is_empty(), "{text}");
            assert_eq!(case.attribute("classname"), suite.attribute("name"), "{text}");
            assert!(case.children.len() <= 1, "{text}");
        }
        cases.extend(suite.children);
    }
    cases
}

#[test]
fn the_reader_is_strict() {
    let start = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    let root = read(&format!("{start}<a b=\"&lt;&#10;\">x &amp; y<c/></a>\n")).expect("good");
    assert_eq!((root.attribute("b"), &*root.text, root.children.len()), ("<\n", "x & y", 1));
    for wrong in [
        "",
        "x",
        "<a>",
        "<a></b>",
        "<a/><b/>",
        "<a b=c/>",
        "<a b=\"1\"c=\"2\"/>",
        "<a>&</a>",
        "<a>&nbsp;</a>",
        "<a b=\"<\"/>",
        "<a>\u{1b}</a>",
        "<a b=\"1\" b=\"2\"/>",
        "<a>]]></a>",
    ] {
        assert!(read(&format!("{start}{wrong}")).is_err(), "{wrong}");
    }
    assert!(read("<a/>").is_err());
}
