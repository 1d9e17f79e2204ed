//! A small warehouse whose objects lie in one memory `A` (the arena of a flow that moves, or the
//! ordinary heap). Transactions, mix and audit are those of [`crate::warehouse`], in one district:
//! customers, orders with lines, stock. Orders replace the oldest, and each kind of object always
//! asks for as many bytes, so an arena that held the full warehouse holds it for good. Objects are
//! found by number, in vectors: trees and hash tables of the library lie on its heap.

use allocator_api2::alloc::Allocator;
use allocator_api2::boxed::Box;
use allocator_api2::vec::Vec;
use flow::Proof;

use crate::Bytes;
use crate::draw::{Checksum, Draw};
use crate::warehouse::{Deck, Kind};

/// An upper bound, with an order and an article, rounded up to powers of two.
const CUSTOMER: u64 = 1_024;
/// The smallest warehouse has more customers than orders can wait.
pub(super) const LEAST: Bytes = Bytes(64 * CUSTOMER);
/// The largest: a stack and its arena are at most 512 MiB.
pub(super) const MOST: Bytes = Bytes(64 << 20);
const LINES: u32 = 15;
const DELIVERED: u32 = 10;
const RECENT: u32 = 20;
const LEAST_LEFT: u32 = 10;
const RESTOCK: u32 = 91;
const HISTORY: usize = 4;
const NOTE: usize = 26;

type Cents = i64;

#[derive(Debug)]
pub(super) struct Depot<A: Allocator + Copy> {
    memory: A,
    stock: Vec<Stock<A>, A>,
    customers: Vec<Box<Customer<A>, A>, A>,
    orders: Vec<Order<A>, A>,
    next_order: u32,
    next_delivery: u32,
    draw: Draw,
    deck: Deck,
    books: Books,
}

#[derive(Debug, Clone, Copy, Default)]
struct Books {
    taken: Cents,
    delivered: Cents,
    pieces: u64,
    sold: u64,
    restocked: u64,
}

#[derive(Debug)]
struct Stock<A: Allocator> {
    price: Cents,
    quantity: u32,
    sold: u64,
    text: Vec<u8, A>,
}

#[derive(Debug)]
struct Customer<A: Allocator> {
    text: Vec<u8, A>,
    note: Vec<u8, A>,
    balance: Cents,
    paid: Cents,
    last_order: u32,
    payments: usize,
    history: [Cents; HISTORY],
}

#[derive(Debug)]
struct Order<A: Allocator> {
    customer: u32,
    total: Cents,
    lines: Vec<Line, A>,
    note: Vec<u8, A>,
}

#[derive(Debug, Clone, Copy)]
struct Line {
    item: u32,
    quantity: u32,
    amount: Cents,
}

impl<A: Allocator + Copy> Depot<A> {
    pub(super) fn fill(heap: Bytes, number: u64, memory: A) -> Self {
        let count = (heap.0 / CUSTOMER) as usize;
        let mut depot = Self {
            memory,
            stock: room(count, memory),
            customers: room(count, memory),
            orders: room(count, memory),
            next_order: 0,
            next_delivery: 0,
            draw: Draw::new(0, number),
            deck: Deck::new(),
            books: Books::default(),
        };
        for _ in 0..count {
            let (stock, customer) = (depot.new_stock(), depot.new_customer());
            depot.books.pieces += u64::from(stock.quantity);
            depot.stock.push(stock);
            depot.customers.push(customer);
        }
        for _ in 0..count {
            depot.new_order();
        }
        let waiting = count as u32 / 3;
        while depot.next_order - depot.next_delivery > waiting {
            depot.deliver();
        }
        depot
    }

    fn new_stock(&mut self) -> Stock<A> {
        Stock {
            price: self.draw.between(100, 10_000).into(),
            quantity: self.draw.between(20, 100),
            sold: 0,
            text: letters(54, &mut self.draw, self.memory),
        }
    }

    fn new_customer(&mut self) -> Box<Customer<A>, A> {
        let customer = Customer {
            text: letters(120, &mut self.draw, self.memory),
            note: letters(NOTE, &mut self.draw, self.memory),
            balance: 0,
            paid: 0,
            last_order: 0,
            payments: 0,
            history: [0; HISTORY],
        };
        Box::try_new_in(customer, self.memory).unwrap_or_else(|_| no_room())
    }

    pub(super) fn transact(&mut self, count: u64) -> Proof {
        let mut sum = Checksum::default();
        for _ in 0..count {
            let value = match self.deck.deal(&mut self.draw) {
                Kind::NewOrder => self.new_order(),
                Kind::Payment => self.payment(&mut sum),
                Kind::OrderStatus => self.order_status(&mut sum),
                Kind::Delivery => (0..DELIVERED).map(|_| self.deliver()).sum(),
                Kind::StockLevel => self.stock_level(),
                Kind::CustomerReport => self.customer_report(&mut sum),
            };
            sum.add(value as u64);
        }
        Proof {
            count,
            checksum: sum.0,
        }
    }

    fn new_order(&mut self) -> Cents {
        let customer = self.someone();
        let mut lines: Vec<Line, A> = room(LINES as usize, self.memory);
        for _ in 0..self.draw.between(5, LINES) {
            let line = self.line();
            lines.push(line);
        }
        let total = lines.iter().map(|line| line.amount).sum();
        let note = copy(&self.customers[customer as usize].text[..NOTE], self.memory);
        let order = Order {
            customer,
            total,
            lines,
            note,
        };
        let kept = self.customers.len();
        if self.orders.len() < kept {
            self.orders.push(order);
        } else {
            if self.next_order - self.next_delivery == kept as u32 {
                self.deliver();
            }
            self.orders[self.next_order as usize % kept] = order;
        }
        self.customers[customer as usize].last_order = self.next_order;
        self.next_order += 1;
        total
    }

    fn line(&mut self) -> Line {
        let item = self.draw.below(self.stock.len() as u32);
        let quantity = self.draw.between(1, 10);
        let stock = &mut self.stock[item as usize];
        if stock.quantity < quantity + LEAST_LEFT {
            stock.quantity += RESTOCK;
            self.books.restocked += u64::from(RESTOCK);
        }
        stock.quantity -= quantity;
        stock.sold += u64::from(quantity);
        self.books.sold += u64::from(quantity);
        Line {
            item,
            quantity,
            amount: Cents::from(quantity) * stock.price,
        }
    }

    fn payment(&mut self, sum: &mut Checksum) -> Cents {
        let (who, amount) = (self.someone(), self.draw.between(100, 500_000).into());
        let note = letters(NOTE, &mut self.draw, self.memory);
        let customer = &mut self.customers[who as usize];
        sum.add_bytes(&customer.note);
        customer.note = note;
        customer.balance -= amount;
        customer.paid += amount;
        let oldest = customer.payments % HISTORY;
        customer.history[oldest] = amount;
        customer.payments += 1;
        self.books.taken += amount;
        customer.balance
    }

    fn order_status(&mut self, sum: &mut Checksum) -> Cents {
        let who = self.someone() as usize;
        let last = self.customers[who].last_order as usize % self.orders.len();
        let order = &self.orders[last];
        sum.add_bytes(&order.note);
        for line in &order.lines {
            sum.add_bytes(&self.stock[line.item as usize].text);
        }
        order.total
    }

    fn deliver(&mut self) -> Cents {
        if self.next_delivery == self.next_order {
            return 0;
        }
        let order = &self.orders[self.next_delivery as usize % self.orders.len()];
        self.customers[order.customer as usize].balance += order.total;
        self.books.delivered += order.total;
        self.next_delivery += 1;
        order.total
    }

    fn stock_level(&mut self) -> Cents {
        let least = self.draw.between(15, 30);
        let recent = (self.next_order.saturating_sub(RECENT)..self.next_order)
            .map(|number| &self.orders[number as usize % self.orders.len()]);
        let lines = recent.flat_map(|order| &order.lines);
        let short = lines.filter(|line| self.stock[line.item as usize].quantity < least);
        short.count() as Cents
    }

    fn customer_report(&mut self, sum: &mut Checksum) -> Cents {
        let who = self.someone() as usize;
        let customer = &self.customers[who];
        sum.add_bytes(&customer.text);
        customer
            .history
            .iter()
            .for_each(|paid| sum.add(*paid as u64));
        customer.balance
    }

    fn someone(&mut self) -> u32 {
        self.draw.below(self.customers.len() as u32)
    }

    pub(super) fn audit(&self) -> Result<(), &'static str> {
        let Books {
            taken,
            delivered,
            pieces,
            sold,
            restocked,
        } = self.books;
        let customers = || self.customers.iter();
        let paid: Cents = customers().map(|customer| customer.paid).sum();
        let owed: Cents = customers().map(|customer| customer.balance).sum();
        let left: u64 = self.stock.iter().map(|s| u64::from(s.quantity)).sum();
        let gone: u64 = self.stock.iter().map(|stock| stock.sold).sum();
        let is_summed = |order: &Order<A>| {
            order.total == order.lines.iter().map(|line| line.amount).sum::<Cents>()
        };
        let worth = |line: &Line| Cents::from(line.quantity) * self.stock[line.item as usize].price;
        let mut lines = self.orders.iter().flat_map(|order| &order.lines);
        let rules = [
            (paid == taken, "payments taken and made"),
            (owed == delivered - taken, "what is owed"),
            (left + sold == pieces + restocked, "pieces in stock"),
            (gone == sold, "pieces sold"),
            (self.orders.iter().all(is_summed), "the lines of an order"),
            (
                lines.all(|line| line.amount == worth(line)),
                "a line of an order",
            ),
        ];
        let broken = rules.into_iter().find(|(holds, _)| !holds);
        broken.map_or(Ok(()), |(_, rule)| Err(rule))
    }
}

fn room<T, A: Allocator>(count: usize, memory: A) -> Vec<T, A> {
    let mut vec = Vec::new_in(memory);
    if vec.try_reserve_exact(count).is_err() {
        no_room();
    }
    vec
}

fn letters<A: Allocator>(count: usize, draw: &mut Draw, memory: A) -> Vec<u8, A> {
    let mut text = room(count, memory);
    text.extend((0..count).map(|_| b'a' + draw.below(26) as u8));
    text
}

fn copy<A: Allocator>(text: &[u8], memory: A) -> Vec<u8, A> {
    let mut own = room(text.len(), memory);
    own.extend_from_slice(text);
    own
}

#[cold]
fn no_room() -> ! {
    panic!("the memory of a flow has no room for its warehouse")
}

#[cfg(test)]
mod tests {
    use allocator_api2::alloc::Global;

    use super::*;

    fn worked() -> Depot<Global> {
        let mut depot = Depot::fill(LEAST, 3, Global);
        assert_eq!(depot.audit(), Ok(()));
        depot.transact(5_000);
        depot
    }

    #[test]
    fn the_books_balance_after_the_work() {
        assert_eq!(worked().audit(), Ok(()));
    }

    #[test]
    fn transactions_are_the_same_however_they_are_cut() {
        let (mut one, mut two) = (worked(), worked());
        let whole = one.transact(100);
        two.transact(40);
        two.transact(60);
        assert_eq!(whole.count, 100);
        assert_eq!(one.transact(10), two.transact(10));
        assert_ne!(Depot::fill(LEAST, 4, Global).transact(100), whole);
    }

    #[test]
    fn whatever_is_written_by_half_is_found() {
        type Fault = (fn(&mut Depot<Global>), &'static str);
        let faults: [Fault; 6] = [
            (|d| d.books.taken += 1, "payments taken and made"),
            (|d| d.customers[3].balance += 1, "what is owed"),
            (|d| d.stock[5].quantity += 1, "pieces in stock"),
            (|d| d.stock[5].sold += 1, "pieces sold"),
            (|d| d.orders[7].total += 1, "the lines of an order"),
            (
                |d| d.stock[d.orders[0].lines[0].item as usize].price += 1,
                "a line of an order",
            ),
        ];
        for (break_it, rule) in faults {
            let mut depot = worked();
            break_it(&mut depot);
            assert_eq!(depot.audit(), Err(rule));
        }
    }
}
