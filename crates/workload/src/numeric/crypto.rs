//! Bytes encrypted (AES-128-CTR), hashed (SHA-256) and decrypted. Self-check: the round trip.

use aes::Aes128;
use ctr::cipher::{KeyIvInit, StreamCipher};
use sha2::{Digest, Sha256};

use flow::Pieces;

use super::{Program, Wrong};
use crate::draw::{Checksum, Draw};

type Cipher = ctr::Ctr128BE<Aes128>;
type Key = [u8; 16];

#[derive(Debug)]
pub(super) struct Secret {
    plain: Vec<u8>,
    bytes: Vec<u8>,
    key: Key,
    start: Key,
    hash: [u8; 32],
}

impl Secret {
    pub(super) fn new(bytes: usize, seed: u64) -> Self {
        let mut draw = Draw::new(seed, 0);
        let plain: Vec<u8> = (0..bytes).map(|_| draw.word() as u8).collect();
        let mut key = || -> Key { std::array::from_fn(|_| draw.word() as u8) };
        Self {
            key: key(),
            start: key(),
            bytes: plain.clone(),
            plain,
            hash: [0; 32],
        }
    }
}

fn encrypt(key: &Key, start: &Key, bytes: &mut [u8]) {
    Cipher::new(key.into(), start.into()).apply_keystream(bytes);
}

fn hash(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

impl Program for Secret {
    fn pieces(&self, pieces: &mut Pieces) {
        pieces.slice(&self.plain);
        pieces.slice(&self.bytes);
    }

    fn begin(&mut self) {
        self.bytes.copy_from_slice(&self.plain);
    }

    fn pass(&mut self) {
        encrypt(&self.key, &self.start, &mut self.bytes);
        self.hash = hash(&self.bytes);
        encrypt(&self.key, &self.start, &mut self.bytes);
    }

    fn end(&mut self) -> Result<u64, Wrong> {
        Wrong::unless(self.bytes == self.plain, || {
            "bytes that were encrypted and decrypted are other ones".to_owned()
        })?;
        Wrong::unless(self.hash != hash(&self.plain), || {
            "bytes were not encrypted".to_owned()
        })?;
        Ok(Checksum::of_bytes(&self.hash))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What breaks, and a word of what is said of it.
    type Fault = (fn(&mut Secret), &'static str);

    fn bytes<const N: usize>(hex: &str) -> [u8; N] {
        std::array::from_fn(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap())
    }

    /// NIST SP 800-38A, F.5.1, first block.
    #[test]
    fn the_cipher_encrypts_as_published() {
        let key = bytes("2b7e151628aed2a6abf7158809cf4f3c");
        let start = bytes("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
        let mut text: [u8; 16] = bytes("6bc1bee22e409f96e93d7e117393172a");
        encrypt(&key, &start, &mut text);
        assert_eq!(text, bytes("874d6191b620e3261bef6864990db6ce"));
    }

    /// FIPS 180-2, appendix B.1.
    #[test]
    fn the_hash_is_the_published_one() {
        let wanted = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hash(b"abc"), bytes(wanted));
    }

    #[test]
    fn a_byte_that_differs_and_a_missing_cipher_are_found() {
        let broken: [Fault; 2] = [
            (|secret| secret.bytes[9] ^= 1, "other ones"),
            (|secret| secret.hash = hash(&secret.plain), "not encrypted"),
        ];
        for (break_it, word) in broken {
            let mut secret = Secret::new(1_000, 1);
            secret.begin();
            secret.pass();
            assert!(secret.end().is_ok());
            break_it(&mut secret);
            assert!(secret.end().unwrap_err().to_string().contains(word));
        }
    }
}
