//! In which order transactions of each kind come: a deck of 33 cards holds each kind as often as
//! the mix says, is shuffled from the seed, dealt to its end and shuffled again.

use crate::draw::Draw;

/// A kind of transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A customer orders 5 to 15 articles.
    NewOrder,
    /// A customer pays.
    Payment,
    /// What became of a customer's last order.
    OrderStatus,
    /// The oldest waiting order of every district is delivered.
    Delivery,
    /// Which articles of a district's last orders are short.
    StockLevel,
    /// What a customer paid, owes and ordered last.
    CustomerReport,
}

/// How many of 33 transactions are of each kind.
pub const MIX: [(Kind, usize); 6] = [
    (Kind::NewOrder, 10),
    (Kind::Payment, 10),
    (Kind::OrderStatus, 1),
    (Kind::Delivery, 1),
    (Kind::StockLevel, 1),
    (Kind::CustomerReport, 10),
];

const CARDS: usize = 33;

#[derive(Debug)]
pub(crate) struct Deck {
    cards: [Kind; CARDS],
    dealt: usize,
}

impl Deck {
    pub(crate) fn new() -> Self {
        let mut cards = [Kind::NewOrder; CARDS];
        let kinds = MIX
            .iter()
            .flat_map(|(kind, many)| std::iter::repeat_n(*kind, *many));
        for (card, kind) in cards.iter_mut().zip(kinds) {
            *card = kind;
        }
        Self {
            cards,
            dealt: CARDS,
        }
    }

    #[inline]
    pub(crate) fn deal(&mut self, draw: &mut Draw) -> Kind {
        if self.dealt == CARDS {
            self.shuffle(draw);
        }
        let card = self.cards[self.dealt];
        self.dealt += 1;
        card
    }

    fn shuffle(&mut self, draw: &mut Draw) {
        for place in (1..CARDS).rev() {
            self.cards
                .swap(place, draw.below(place as u32 + 1) as usize);
        }
        self.dealt = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_deck_holds_the_mix_and_no_two_have_one_order() {
        let (mut deck, mut draw) = (Deck::new(), Draw::new(1, 0));
        let mut deal = || -> Vec<Kind> { (0..CARDS).map(|_| deck.deal(&mut draw)).collect() };
        let (one, other) = (deal(), deal());
        assert_ne!(one, other);
        for (kind, many) in MIX {
            assert_eq!(one.iter().filter(|card| **card == kind).count(), many);
            assert_eq!(other.iter().filter(|card| **card == kind).count(), many);
        }
    }
}
