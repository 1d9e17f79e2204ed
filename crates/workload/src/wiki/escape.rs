const INSTEAD: [Option<&str>; 256] = {
    let mut instead = [None; 256];
    instead[b'<' as usize] = Some("&lt;");
    instead[b'>' as usize] = Some("&gt;");
    instead[b'"' as usize] = Some("&quot;");
    instead[b'&' as usize] = Some("&amp;");
    instead
};

/// Entities (`&nbsp;`, `&#160;`) are kept.
pub(super) fn push_text(out: &mut String, text: &str) {
    push_escaped(out, text, |bytes| memchr::memchr3(b'<', b'>', b'&', bytes));
}

pub(super) fn push_value(out: &mut String, text: &str) {
    push_escaped(out, text, |bytes| {
        bytes
            .iter()
            .position(|&byte| INSTEAD[usize::from(byte)].is_some())
    });
}

fn push_escaped(out: &mut String, text: &str, next: impl Fn(&[u8]) -> Option<usize>) {
    let mut from = 0;
    let bytes = text.as_bytes();
    while let Some(further) = next(&bytes[from..]) {
        let at = from + further;
        out.push_str(&text[from..at]);
        let entity = match bytes[at] {
            b'&' => entity(&bytes[at..]),
            _ => 0,
        };
        match INSTEAD[usize::from(bytes[at])] {
            Some(instead) if entity == 0 => out.push_str(instead),
            _ => out.push_str(&text[at..at + entity]),
        }
        from = at + entity.max(1);
    }
    out.push_str(&text[from..]);
}

/// Longer names are text.
const LONGEST_ENTITY: usize = 12;

fn entity(bytes: &[u8]) -> usize {
    let within = &bytes[1..bytes.len().min(LONGEST_ENTITY)];
    let Some(length) = within.iter().position(|&byte| byte == b';') else {
        return 0;
    };
    let right = match &within[..length] {
        [b'#', b'x' | b'X', digits @ ..] => {
            !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit)
        }
        [b'#', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
        [first, rest @ ..] => {
            first.is_ascii_alphabetic() && rest.iter().all(u8::is_ascii_alphanumeric)
        }
        [] => false,
    };
    if right { length + 2 } else { 0 }
}

/// Spaces become underscores, the first letter a capital, other bytes hexadecimal.
pub(super) fn push_path(out: &mut String, title: &str) {
    let bytes = title.as_bytes();
    let mut from = 0;
    if let Some(first) = bytes.first().filter(|first| first.is_ascii_lowercase()) {
        out.push(char::from(first.to_ascii_uppercase()));
        from = 1;
    }
    while let Some(further) = bytes[from..].iter().position(|byte| !stays(*byte)) {
        let at = from + further;
        out.push_str(&title[from..at]);
        let rest = &bytes[at..];
        let length = rest.iter().position(|byte| stays(*byte));
        for &byte in &rest[..length.unwrap_or(rest.len())] {
            match byte {
                b' ' => out.push('_'),
                _ => push_percent(out, byte),
            }
        }
        from = at + length.unwrap_or(rest.len());
    }
    out.push_str(&title[from..]);
}

fn stays(byte: u8) -> bool {
    const STAYS: [bool; 256] = {
        let mut stays = [false; 256];
        let mut byte = 0;
        while byte < 128 {
            let sign = matches!(
                byte as u8,
                b'-' | b'_' | b'.' | b'~' | b':' | b'/' | b'(' | b')' | b',' | b'#'
            );
            stays[byte] = sign || (byte as u8).is_ascii_alphanumeric();
            byte += 1;
        }
        stays
    };
    STAYS[usize::from(byte)]
}

fn push_percent(out: &mut String, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.push('%');
    out.push(char::from(DIGITS[usize::from(byte >> 4)]));
    out.push(char::from(DIGITS[usize::from(byte & 15)]));
}

const ALLOWED: [&str; 12] = [
    "class", "style", "align", "valign", "width", "height", "colspan", "rowspan", "scope", "lang",
    "dir", "title",
];

/// Appends the allowed ones of `name="value" name=value`, once each, with a space before them.
pub(super) fn push_attributes(out: &mut String, attributes: &str) {
    let mut rest = attributes.trim_start();
    let mut seen: u16 = 0;
    while let Some((name, after)) = rest.split_once('=') {
        let name = name.trim().rsplit([' ', '\n', '\t']).next().unwrap_or("");
        let (value, after) = value(after.trim_start());
        rest = after;
        let allowed = ALLOWED
            .iter()
            .position(|known| known.eq_ignore_ascii_case(name));
        if let Some(place) = allowed.filter(|place| seen & (1 << place) == 0) {
            seen |= 1 << place;
            out.push(' ');
            out.push_str(ALLOWED[place]);
            out.push_str("=\"");
            push_value(out, value);
            out.push('"');
        }
    }
}

fn value(text: &str) -> (&str, &str) {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    match quote {
        Some(quote) => {
            let inside = &text[1..];
            inside.split_once(quote).unwrap_or((inside, ""))
        }
        None => text.split_once([' ', '\t', '\n']).unwrap_or((text, "")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(text: &str) -> String {
        let mut out = String::new();
        push_text(&mut out, text);
        out
    }

    fn value(text: &str) -> String {
        let mut out = String::new();
        push_value(&mut out, text);
        out
    }

    #[test]
    fn entities_stay_and_signs_do_not() {
        assert_eq!(text("a&nbsp;b&#160;c&#xA0;"), "a&nbsp;b&#160;c&#xA0;");
        assert_eq!(
            text("AT&T; &; &#; &#x; &"),
            "AT&T; &amp;; &amp;#; &amp;#x; &amp;"
        );
        assert_eq!(text("<b>\"é\"</b>"), "&lt;b&gt;\"é\"&lt;/b&gt;");
    }

    #[test]
    fn paths_are_ascii() {
        let mut out = String::new();
        push_path(&mut out, "étude in C%\"<");
        assert_eq!(out, "%C3%A9tude_in_C%25%22%3C");
    }

    #[test]
    fn only_known_attributes_come_through_and_each_once() {
        let mut out = String::new();
        let given = "class=\"a b\" onclick=\"x()\" STYLE='c:d' colspan=2 class=z";
        push_attributes(&mut out, given);
        assert_eq!(out, " class=\"a b\" style=\"c:d\" colspan=\"2\"");
    }

    proptest! {
        #[test]
        fn no_text_makes_a_tag_or_ends_an_attribute(given: String) {
            prop_assert!(!text(&given).contains(['<', '>']));
            prop_assert!(!value(&given).contains(['<', '>', '"']));
            prop_assert_eq!(text(&given).replace('"', "&quot;"), value(&given));
            let mut attributes = String::new();
            push_attributes(&mut attributes, &given);
            prop_assert!(!attributes.contains(['<', '>']));
            prop_assert_eq!(attributes.matches('"').count() % 2, 0);
        }
    }
}
