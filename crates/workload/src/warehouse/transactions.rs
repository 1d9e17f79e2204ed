//! The six kinds of transaction. Each changes objects, and writes what it did on a screen, freed
//! when its sum is taken. What it keeps replaces an older one, so the heap keeps its size. Orders
//! come to the districts in turn, and each delivery takes one of each: as many wait after a deck.

use super::deck::Kind;
use super::screen::Screen;
use super::store::{
    ADDRESS, Cents, Customer, DISTRICTS, District, HISTORY, Line, NAME, Order, Payment, Store,
    charged,
};
use crate::draw::{Checksum, Draw};

/// A quantity that is not sold below by more than this is filled up.
const LEAST_LEFT: u32 = 10;
const RESTOCK: u32 = 91;
const RECENT: u32 = 20;
/// Letters of a customer's text in an order or a payment.
const NOTE: usize = 26;

impl Store {
    #[inline]
    pub(super) fn transact(&mut self, kind: Kind, draw: &mut Draw, sum: &mut Checksum) {
        self.now += 1;
        let screen = match kind {
            Kind::NewOrder => self.new_order(draw),
            Kind::Payment => self.payment(draw),
            Kind::OrderStatus => self.order_status(draw),
            Kind::Delivery => self.delivery(draw),
            Kind::StockLevel => self.stock_level(draw),
            Kind::CustomerReport => self.customer_report(draw),
        };
        sum.add_bytes(screen.bytes());
    }

    fn new_order(&mut self, draw: &mut Draw) -> Screen {
        let district = (self.entered % u64::from(DISTRICTS)) as usize;
        self.entered += 1;
        let id = self.customer_of(district, draw);
        let count = draw.between(5, 15);
        let mut screen = Screen::new("order", "");
        let lines = (0..count).map(|_| self.line(draw, &mut screen));
        let lines: Vec<Line> = lines.collect();
        let sum: Cents = lines.iter().map(|line| line.amount).sum();
        let now = self.now;
        let district = &mut self.districts[district];
        let number = district.next_order;
        let (mut discount, mut note) = (0, String::new());
        if let Some(customer) = district.customers.get_mut(&id) {
            customer.last_order = number;
            discount = customer.discount;
            note = customer.text[..NOTE].to_owned();
            screen.text(&note);
        }
        let total = charged(sum, discount, district.tax);
        screen.text(&district.name);
        screen.number(number.into());
        screen.number(total);
        let order = Order {
            customer: id,
            entered: now,
            delivered: None,
            total,
            lines,
            note,
        };
        district.orders.insert(number, order);
        district.waiting.push_back(number);
        district.next_order += 1;
        screen
    }

    fn line(&mut self, draw: &mut Draw, screen: &mut Screen) -> Line {
        let item = draw.below(self.stock.len() as u32);
        let quantity = draw.between(1, 10);
        let mut line = Line {
            item,
            quantity,
            amount: 0,
        };
        let Some(stock) = self.stock.get_mut(&item) else {
            return line;
        };
        if stock.quantity < quantity + LEAST_LEFT {
            stock.quantity += RESTOCK;
            self.books.restocked += u64::from(RESTOCK);
        }
        stock.quantity -= quantity;
        stock.sold += u64::from(quantity);
        stock.orders += 1;
        self.books.sold += u64::from(quantity);
        line.amount = Cents::from(quantity) * stock.price;
        screen.number(line.amount);
        line
    }

    fn payment(&mut self, draw: &mut Draw) -> Screen {
        let (district, id) = self.someone(draw);
        let amount = Cents::from(draw.between(100, 500_000));
        let (when, district) = (self.now, &mut self.districts[district]);
        let mut screen = Screen::new("payment ", &district.name);
        screen.number(amount);
        if let Some(customer) = district.customers.get_mut(&id) {
            self.taken += amount;
            district.taken += amount;
            let note = note(&district.name, customer);
            customer.pay(Payment { amount, when, note });
            screen.text(&customer.text[..NAME]);
            screen.number(customer.balance);
        }
        screen
    }

    fn order_status(&mut self, draw: &mut Draw) -> Screen {
        let (district, id) = self.someone(draw);
        let district = &self.districts[district];
        let mut screen = Screen::new("status ", &district.name);
        let Some(customer) = district.customers.get(&id) else {
            return screen;
        };
        screen.text(&customer.text[..NAME]);
        screen.number(customer.balance);
        if let Some(order) = district.orders.get(&customer.last_order) {
            screen.number(order.entered as i64);
            screen.number(order.delivered.map_or(0, |(carrier, _)| carrier.into()));
            screen.text(&order.note);
            for line in &order.lines {
                let stock = self.stock.get(&line.item);
                screen.text(stock.map_or("", |stock| &stock.text[..NAME]));
                screen.number(line.quantity.into());
                screen.number(line.amount);
            }
        }
        screen
    }

    fn delivery(&mut self, draw: &mut Draw) -> Screen {
        let carrier = draw.between(1, 10);
        let mut screen = Screen::new("delivery ", "");
        for district in &mut self.districts {
            let total = district.deliver(carrier, self.now);
            self.books.delivered += total;
            self.books.removed += district.remove_old();
            screen.number(total);
        }
        screen
    }

    fn stock_level(&mut self, draw: &mut Draw) -> Screen {
        let district = &self.districts[draw.below(self.districts.len() as u32) as usize];
        let least = draw.between(15, 30);
        let recent = district
            .orders
            .range(district.next_order.saturating_sub(RECENT)..);
        let mut items = Vec::with_capacity(15 * RECENT as usize);
        items.extend(recent.flat_map(|(_, order)| order.lines.iter().map(|line| line.item)));
        items.sort_unstable();
        items.dedup();
        let short = |item: &&u32| {
            self.stock
                .get(item)
                .is_some_and(|stock| stock.quantity < least)
        };
        let mut screen = Screen::new("stock ", &district.name);
        screen.number(items.iter().filter(short).count() as i64);
        screen
    }

    fn customer_report(&mut self, draw: &mut Draw) -> Screen {
        let (district, id) = self.someone(draw);
        let district = &self.districts[district];
        let mut screen = Screen::new("report ", &district.name);
        let Some(customer) = district.customers.get(&id) else {
            return screen;
        };
        screen.text(&customer.text[..ADDRESS]);
        for payment in customer.latest() {
            screen.number(payment.when as i64);
            screen.number(payment.amount);
        }
        screen.text(customer.latest().last().map_or("", |payment| &payment.note));
        screen.number(customer.balance);
        screen
    }

    #[inline]
    fn someone(&self, draw: &mut Draw) -> (usize, u32) {
        let district = draw.below(self.districts.len() as u32) as usize;
        (district, self.customer_of(district, draw))
    }

    #[inline]
    fn customer_of(&self, district: usize, draw: &mut Draw) -> u32 {
        draw.below(self.districts[district].customers.len() as u32)
    }
}

fn note(district: &str, customer: &Customer) -> String {
    let mut note = String::with_capacity(district.len() + NOTE);
    note.push_str(district);
    note.push_str(&customer.text[..NOTE]);
    note
}

impl Customer {
    fn pay(&mut self, payment: Payment) {
        self.balance -= payment.amount;
        self.paid += payment.amount;
        self.history[self.payments as usize % HISTORY] = payment;
        self.payments += 1;
    }

    fn latest(&self) -> impl Iterator<Item = &Payment> {
        let oldest = self.payments as usize % HISTORY;
        self.history[oldest..].iter().chain(&self.history[..oldest])
    }
}

impl District {
    fn deliver(&mut self, carrier: u32, now: u64) -> Cents {
        let oldest = self.waiting.pop_front();
        let Some(order) = oldest.and_then(|number| self.orders.get_mut(&number)) else {
            return 0;
        };
        order.delivered = Some((carrier, now));
        if let Some(customer) = self.customers.get_mut(&order.customer) {
            customer.balance += order.total;
            customer.deliveries += 1;
        }
        order.total
    }

    fn remove_old(&mut self) -> u64 {
        let mut removed = 0;
        while self.orders.len() > self.kept() {
            match self.orders.first_entry() {
                Some(oldest) if oldest.get().delivered.is_some() => oldest.remove(),
                _ => break,
            };
            removed += 1;
        }
        removed
    }
}
