/// What tests expect of a text; a failure shows all of it.
pub(crate) trait Says {
    /// Somewhere in it.
    fn says(&self, words: &str);
    fn begins(&self, words: &str);
    fn ends(&self, words: &str);
}

impl Says for str {
    #[track_caller]
    fn says(&self, words: &str) {
        assert!(self.contains(words), "'{words}' in {self}");
    }

    #[track_caller]
    fn begins(&self, words: &str) {
        assert!(self.starts_with(words), "'{words}' first in {self}");
    }

    #[track_caller]
    fn ends(&self, words: &str) {
        assert!(self.ends_with(words), "'{words}' last in {self}");
    }
}
