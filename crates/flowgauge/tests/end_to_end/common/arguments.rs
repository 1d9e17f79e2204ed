//! The arguments of a command as tests write them.

/// A line, whose words stand between spaces or within double quotes, or the words themselves.
pub(crate) trait Arguments {
    fn words(&self) -> Vec<&str>;
}

impl Arguments for str {
    fn words(&self) -> Vec<&str> {
        let parts = self.split('"').enumerate();
        let words = parts.map(|(n, part)| match n % 2 {
            0 => part.split_ascii_whitespace().collect(),
            _ => vec![part],
        });
        words.collect::<Vec<_>>().concat()
    }
}

impl Arguments for String {
    fn words(&self) -> Vec<&str> {
        self.as_str().words()
    }
}

impl Arguments for [&str] {
    fn words(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl<const N: usize> Arguments for [&str; N] {
    fn words(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl Arguments for Vec<&str> {
    fn words(&self) -> Vec<&str> {
        self.clone()
    }
}
