use proptest::prelude::*;

use super::*;

fn read_all(bytes: &[u8]) -> Result<(u32, Vec<Token>, [u8; 32]), TraceError> {
    let mut reader = Reader::new(bytes)?;
    let mut tokens = Vec::new();
    while let Some(token) = reader.token()? {
        tokens.push(token);
    }
    Ok((reader.space(), tokens, reader.hash()))
}

fn events() -> Vec<Event> {
    let object = |object, page, private| Backing::Object {
        object,
        page,
        private,
    };
    let maps = [
        Backing::Own,
        object(7, 3, true),
        object(u64::MAX >> 1, 0, false),
    ];
    let maps = maps.map(|backing| Event::Map {
        first: 0x7_ffff_f123,
        pages: 65_536,
        backing,
    });
    let others = [
        Event::Begin { flow: 31 },
        Event::End { accesses: u64::MAX },
        Event::Unmap { first: 1, pages: 2 },
        Event::Fork { child: 9 },
        Event::Wrote { page: 0x1234 },
    ];
    maps.into_iter().chain(others).collect()
}

#[test]
fn every_event_is_read_as_it_was_written() {
    let mut writer = Writer::new(5, 4096);
    events().into_iter().for_each(|event| writer.event(event));
    let (space, tokens, _) = read_all(writer.bytes()).unwrap();
    assert_eq!(space, 5);
    let expected: Vec<Token> = events().into_iter().map(Token::Event).collect();
    assert_eq!(tokens, expected);
}

#[test]
fn accesses_in_a_row_are_one_token() {
    let mut writer = Writer::new(0, 4096);
    writer.access(100, false);
    writer.access(100, true);
    writer.access(100, false);
    writer.access(99, true);
    writer.access(100, false);
    let (_, tokens, _) = read_all(writer.bytes()).unwrap();
    let access = |granule, load, store, times| {
        Token::Access(Access {
            granule,
            load,
            store,
            times,
        })
    };
    let expected = [
        access(100, true, true, 3),
        access(99, false, true, 1),
        access(100, true, false, 1),
    ];
    assert_eq!(tokens, expected);
}

#[test]
fn what_is_no_trace_or_was_cut_is_refused() {
    assert!(matches!(
        read_all(b"flowtrc\x01\0"),
        Err(TraceError::Version)
    ));
    assert!(matches!(read_all(b""), Err(TraceError::Version)));
    let mut writer = Writer::new(0, 4096);
    writer.event(Event::Wrote { page: 1 << 40 });
    let bytes = writer.bytes();
    assert!(matches!(
        read_all(&bytes[..bytes.len() - 1]),
        Err(TraceError::Cut)
    ));
    let unknown = [writer.bytes(), &[28 << 2, 0, 0, 0]].concat();
    assert!(matches!(read_all(&unknown), Err(TraceError::Unknown(28))));
}

#[test]
fn the_hash_is_that_of_the_trace() {
    let of = |granule| {
        let mut writer = Writer::new(0, 4096);
        writer.access(granule, false);
        read_all(writer.bytes()).unwrap().2
    };
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
}

#[test]
fn the_end_of_a_trace_tells_its_accesses() {
    for accesses in [0, 1, 127, 128, 1 << 40, u64::MAX] {
        let mut writer = Writer::new(0, 4096);
        writer.access(1 << 40, true);
        writer.event(Event::End { accesses });
        assert_eq!(accesses_at_end(writer.bytes()), Some(accesses));
        writer.event(Event::Wrote { page: accesses });
        assert_eq!(accesses_at_end(writer.bytes()), None);
    }
    assert_eq!(accesses_at_end(b""), None);
}

/// More than is read at a time.
#[test]
fn a_long_trace_is_read_in_chunks() {
    let mut writer = Writer::new(1, 1 << 20);
    (0..100_000).for_each(|at| writer.access(at * at, false));
    let (_, tokens, _) = read_all(writer.bytes()).unwrap();
    assert_eq!(tokens.len(), 100_000);
    assert!(matches!(tokens[99_999], Token::Access(last) if last.granule == 99_999 * 99_999));
}

/// Near and far, up to more than any address has.
fn granule() -> impl Strategy<Value = u64> {
    (0..1_u64 << 57, 0..57_u32).prop_map(|(granule, shift)| granule >> shift)
}

fn times() -> impl Strategy<Value = u64> {
    prop_oneof![9 => 1..4_u64, 1 => 120..140_u64]
}

proptest! {
    /// Folded and unfolded accesses are the same accesses, however many they are.
    #[test]
    fn accesses_are_read_as_they_were_written(
        accesses in prop::collection::vec((granule(), times(), any::<bool>()), 0..1_000)
    ) {
        let mut writer = Writer::new(1, 1 << 20);
        let mut total = 0;
        for (granule, times, store) in &accesses {
            (0..*times).for_each(|_| writer.access(*granule, *store));
            total += times;
        }
            let (_, tokens, _) = read_all(writer.bytes()).unwrap();
        let mut read = Vec::new();
        for token in tokens {
            let Token::Access(access) = token else { panic!("{token:?}") };
            read.push((access.granule, access.times));
        }
        prop_assert_eq!(read.iter().map(|(_, times)| times).sum::<u64>(), total);
        let each = |of: &mut dyn Iterator<Item = u64>| {
            let mut places: Vec<u64> = of.collect();
            places.dedup();
            places
        };
        let places = each(&mut accesses.iter().map(|(granule, ..)| *granule));
        prop_assert_eq!(each(&mut read.iter().map(|(granule, _)| *granule)), places);
    }
}
