#[derive(Debug)]
pub(super) struct Screen(String);

const USUAL: usize = 256;

impl Screen {
    pub(super) fn new(what: &str, place: &str) -> Self {
        let mut text = String::with_capacity(USUAL);
        text.push_str(what);
        text.push_str(place);
        Self(text)
    }

    #[inline]
    pub(super) fn text(&mut self, text: &str) {
        self.0.push(' ');
        self.0.push_str(text);
    }

    #[inline]
    pub(super) fn number(&mut self, number: i64) {
        self.text(itoa::Buffer::new().format(number));
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}
