//! What the package is about: a function that is to be compared under all models.

/// The sum of the digits of a number.
pub fn digits(mut number: u64) -> u64 {
    let mut sum = 0;
    while number > 0 {
        sum += number % 10;
        number /= 10;
    }
    sum
}
