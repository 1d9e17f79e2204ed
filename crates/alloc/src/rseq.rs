//! Restartable sequences: instructions that the kernel restarts when the thread leaves its CPU.
//!
//! A thread registers an area with the kernel (glibc does, from 2.35 on), in which the kernel keeps
//! the number of the thread's CPU. The thread may put the address of a descriptor there, which
//! names a range of instructions; when the thread is preempted, moved or gets a signal in the
//! range, it continues at the descriptor's abort address. So a sequence whose last instruction is
//! one store is done on one CPU, undisturbed, or not at all, without lock or atomic instruction (P.
//! Turner, A. Hunter; Linux `Documentation/userspace-api/rseq.rst`, `include/uapi/linux/rseq.h`).
//!
//! Four compare the CPU within the range: pop and push, of one pointer or several, on a CPU's
//! stack. Failures stand out of line: the usual way has no jump. Elsewhere than on x86-64, and
//! where the C library registers nothing, [`Area::find`] is `None` and callers use locks.

pub(crate) const DEPTH: usize = 63;

#[repr(C)]
#[derive(Debug)]
pub(crate) struct Stack {
    pub(crate) count: u32,
    /// Zero until somebody says how many there may be.
    pub(crate) capacity: u32,
    slots: [*mut u8; DEPTH],
}

impl Stack {
    /// Safety: `stack` is mapped.
    pub(crate) unsafe fn slots(stack: *mut Self) -> *const *mut u8 {
        // SAFETY: the caller's.
        unsafe { (&raw const (*stack).slots).cast() }
    }
}

/// Where every thread's area is, from the thread's own pointer on.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(
    not(target_arch = "x86_64"),
    expect(dead_code, reason = "no sequence uses it")
)]
pub(crate) struct Area(isize);

impl Area {
    /// Of no use: the number there is part of an address, and compared with no CPUs.
    pub(crate) const NOWHERE: Self = Self(0);
}

#[cfg(target_arch = "x86_64")]
macro_rules! sequence {
    ($area:expr, $cpu:expr, $stack:expr, [$($step:literal),+] $(, $name:ident = $in:expr)* $(; $scratch:ident)*) => {{
        let done: *mut u8;
        // SAFETY: reads and writes the caller's stack and this thread's area; every way out of the
        // sequence ends at 7, with `done` written.
        unsafe {
            std::arch::asm!(
                ".pushsection __rseq_cs, \"aw\"",
                ".balign 32",
                "2: .long 0, 0",
                ".quad 3f, 4f - 3f, 5f",
                ".popsection",
                "lea {count}, [rip + 2b]",
                "mov qword ptr fs:[{area} + 8], {count}",
                "3: cmp dword ptr fs:[{area} + 4], {cpu:e}",
                "jne 6f",
                "mov {count:e}, dword ptr [{stack}]",
                $($step,)+
                "mov dword ptr [{stack}], {count:e}",
                "4:",
                ".pushsection .text.unlikely, \"ax\", @progbits",
                // The kernel only jumps to an address behind this signature.
                ".byte 0x0f, 0xb9, 0x3d",
                ".long 0x53053053",
                "5:",
                "6: xor {done:e}, {done:e}",
                "jmp 7f",
                ".popsection",
                "7:",
                area = in(reg) $area,
                cpu = in(reg) $cpu,
                stack = in(reg) $stack,
                $($name = in(reg) $in,)*
                $($scratch = out(reg) _,)*
                count = out(reg) _,
                done = out(reg) done,
                options(nostack)
            );
        }
        done
    }};
}

#[cfg(target_arch = "x86_64")]
impl Area {
    pub(crate) fn find() -> Option<Self> {
        if cfg!(miri) {
            return None;
        }
        let offset: *const isize;
        // SAFETY: reads this library's table of addresses; a weak symbol that nobody defines is 0.
        unsafe {
            std::arch::asm!(
                ".weak __rseq_offset",
                "mov {offset}, qword ptr [rip + __rseq_offset@GOTPCREL]",
                offset = out(reg) offset,
                options(nostack, pure, readonly, preserves_flags)
            );
        }
        let offset = std::ptr::NonNull::new(offset.cast_mut())?;
        // SAFETY: glibc's constant lives as long as the process.
        Some(Self(unsafe { offset.read() }))
    }

    /// Beyond all CPUs where the kernel knows nothing of this thread's area.
    #[inline]
    pub(crate) fn cpu(self) -> u32 {
        if cfg!(miri) {
            return u32::MAX;
        }
        let cpu: u32;
        // SAFETY: glibc keeps the area with the thread's control block; the kernel writes it.
        unsafe {
            std::arch::asm!(
                "mov {cpu:e}, dword ptr fs:[{area} + 4]",
                area = in(reg) self.0,
                cpu = out(reg) cpu,
                options(nostack, readonly, preserves_flags)
            );
        }
        cpu
    }

    /// Takes the top of the CPU's stack; null when it is empty or the thread left the CPU. Safety:
    /// the stack is that of `cpu`, and is touched by these sequences alone; the area was found.
    #[inline]
    pub(crate) unsafe fn pop(self, cpu: u32, stack: *mut Stack) -> *mut u8 {
        sequence!(
            self.0,
            cpu,
            stack,
            [
                "test {count:e}, {count:e}",
                "jz 6f",
                "mov {done}, qword ptr [{stack} + {count} * 8]",
                "dec {count:e}"
            ]
        )
    }

    /// Puts a pointer that is not null on the CPU's stack; whether there was room, the thread
    /// stayed and the top of the stack is another one. (The word before the first place holds two
    /// small numbers, and so no pointer.) Safety: as [`Area::pop`].
    #[inline]
    pub(crate) unsafe fn push(self, cpu: u32, stack: *mut Stack, pointer: *mut u8) -> bool {
        let done = sequence!(
            self.0,
            cpu,
            stack,
            [
                "cmp {count:e}, dword ptr [{stack} + 4]",
                "jae 6f",
                "cmp qword ptr [{stack} + {count} * 8], {pointer}",
                "je 6f",
                "inc {count:e}",
                "mov qword ptr [{stack} + {count} * 8], {pointer}",
                "mov {done}, {pointer}"
            ],
            pointer = pointer
        );
        !done.is_null()
    }

    /// Takes blocks from the top of the CPU's stack, the top last; how many, none where the thread
    /// left the CPU. Safety: as [`Area::pop`].
    pub(crate) unsafe fn pop_many(
        self,
        cpu: u32,
        stack: *mut Stack,
        places: &mut [*mut u8],
    ) -> usize {
        let taken = sequence!(
            self.0,
            cpu,
            stack,
            [
                "mov {done}, {wanted}",
                "cmp {done}, {count}",
                "cmova {done}, {count}",
                "sub {count}, {done}",
                "lea {from}, [{stack} + {count} * 8]",
                "mov {left}, {done}",
                "test {left}, {left}",
                "jz 6f",
                "8: mov {block}, qword ptr [{from} + {left} * 8]",
                "mov qword ptr [{places} + {left} * 8 - 8], {block}",
                "dec {left}",
                "jnz 8b"
            ],
            places = places.as_mut_ptr(),
            wanted = places.len();
            from; left; block
        );
        taken.addr()
    }

    /// Puts pointers, at least one, on the CPU's stack, the last of them on top; whether there was
    /// room for all and the thread stayed. Safety: as [`Area::pop`].
    pub(crate) unsafe fn push_many(
        self,
        cpu: u32,
        stack: *mut Stack,
        pointers: &[*mut u8],
    ) -> bool {
        let done = sequence!(
            self.0,
            cpu,
            stack,
            [
                "lea {done}, [{count} + {many}]",
                "cmp {done:e}, dword ptr [{stack} + 4]",
                "ja 6f",
                "lea {to}, [{stack} + {count} * 8]",
                "mov {left}, {many}",
                "8: mov {block}, qword ptr [{pointers} + {left} * 8 - 8]",
                "mov qword ptr [{to} + {left} * 8], {block}",
                "dec {left}",
                "jnz 8b",
                "mov {count:e}, {done:e}"
            ],
            pointers = pointers.as_ptr(),
            many = pointers.len();
            to; left; block
        );
        !done.is_null()
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Area {
    pub(crate) fn find() -> Option<Self> {
        None
    }

    pub(crate) fn cpu(self) -> u32 {
        u32::MAX
    }

    /// Safety: this and those below need none.
    pub(crate) unsafe fn pop(self, _cpu: u32, _stack: *mut Stack) -> *mut u8 {
        std::ptr::null_mut()
    }

    pub(crate) unsafe fn push(self, _cpu: u32, _stack: *mut Stack, _pointer: *mut u8) -> bool {
        false
    }

    pub(crate) unsafe fn pop_many(
        self,
        _cpu: u32,
        _stack: *mut Stack,
        _places: &mut [*mut u8],
    ) -> usize {
        0
    }

    pub(crate) unsafe fn push_many(
        self,
        _cpu: u32,
        _stack: *mut Stack,
        _pointers: &[*mut u8],
    ) -> bool {
        false
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[derive(Clone, Copy)]
    struct Stacks(Area, *mut Stack);
    // SAFETY: only the sequences touch what it points to.
    unsafe impl Send for Stacks {}

    impl Stacks {
        /// A stack for each CPU there may be.
        fn new() -> Self {
            let area = Area::find();
            let area =
                area.expect("glibc 2.35 registers one; without it, locks are used and tested");
            let empty = || Stack {
                count: 0,
                capacity: DEPTH as u32,
                slots: [std::ptr::null_mut(); DEPTH],
            };
            let stacks: Vec<Stack> = (0..1024).map(|_| empty()).collect();
            Self(area, stacks.leak().as_mut_ptr())
        }

        fn here(self) -> (u32, *mut Stack) {
            let cpu = self.0.cpu();
            // SAFETY: there are 1,024 stacks, and no machine of ours has more CPUs.
            (cpu, unsafe { self.1.add(cpu as usize) })
        }

        fn pop(self) -> *mut u8 {
            let (cpu, stack) = self.here();
            // SAFETY: the stack is that of the CPU.
            unsafe { self.0.pop(cpu, stack) }
        }

        fn push(self, pointer: *mut u8) -> bool {
            let (cpu, stack) = self.here();
            // SAFETY: as above.
            unsafe { self.0.push(cpu, stack, pointer) }
        }

        fn pop_many(self, places: &mut [*mut u8]) -> usize {
            let (cpu, stack) = self.here();
            // SAFETY: as above.
            unsafe { self.0.pop_many(cpu, stack, places) }
        }

        fn push_many(self, pointers: &[*mut u8]) -> bool {
            let (cpu, stack) = self.here();
            // SAFETY: as above.
            unsafe { self.0.push_many(cpu, stack, pointers) }
        }
    }

    #[test]
    fn threads_that_are_moved_and_preempted_lose_no_pointer_and_take_none_twice() {
        let stacks = Stacks::new();
        let kept: Vec<Vec<usize>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8_usize)
                .map(|thread| scope.spawn(move || juggle(stacks, thread)))
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("it ends"))
                .collect()
        });
        // SAFETY: the threads have ended.
        let stacks = unsafe { std::slice::from_raw_parts(stacks.1, 1024) };
        let on_stacks = stacks
            .iter()
            .flat_map(|stack| &stack.slots[..stack.count as usize]);
        let mut all: Vec<usize> = on_stacks.map(|pointer| pointer.addr()).collect();
        all.extend(kept.into_iter().flatten());
        let distinct: HashSet<usize> = all.iter().copied().collect();
        assert_eq!((all.len(), distinct.len()), (8 * 16, 8 * 16));
    }

    #[test]
    fn several_are_taken_in_the_order_in_which_they_were_put_and_all_or_none_find_room() {
        let Stacks(area, stack) = Stacks::new();
        // One thread has the stack; when it is moved, it tries again.
        let put = |pointers: &[*mut u8]| {
            // SAFETY: nobody else touches the stack.
            (0..100).any(|_| unsafe { area.push_many(area.cpu(), stack, pointers) })
        };
        let take = || {
            let mut places = [std::ptr::null_mut(); 30];
            // SAFETY: as above.
            let mut tries =
                (0..100).map(|_| unsafe { area.pop_many(area.cpu(), stack, &mut places) });
            let taken = tries.find(|&taken| taken > 0).unwrap_or(0);
            places[..taken].iter().map(|place| place.addr()).collect()
        };
        let all: Vec<*mut u8> = (1..=40).map(std::ptr::without_provenance_mut).collect();
        assert_eq!((put(&all), put(&all)), (true, false));
        let (top, bottom): (Vec<usize>, Vec<usize>) = (take(), take());
        assert_eq!(top, (11..=40).collect::<Vec<_>>());
        assert_eq!(bottom, (1..=10).collect::<Vec<_>>());
        assert!(take().is_empty());
    }

    /// Pushes own pointers and pops whatever is there, many times; what it holds at the end.
    fn juggle(stacks: Stacks, thread: usize) -> Vec<usize> {
        let mut held: Vec<usize> = (1..=16).map(|number| thread * 100 + number).collect();
        for step in 0..200_000 {
            if step % 5 == 0 {
                let several = held.split_off(held.len() / 2);
                let several: Vec<*mut u8> = several
                    .into_iter()
                    .map(std::ptr::without_provenance_mut)
                    .collect();
                if several.is_empty() || !stacks.push_many(&several) {
                    held.extend(several.iter().map(|pointer| pointer.addr()));
                }
            } else if step % 5 == 1 {
                let mut places = [std::ptr::null_mut(); 9];
                let taken = stacks.pop_many(&mut places);
                held.extend(places[..taken].iter().map(|pointer| pointer.addr()));
            } else if step % 2 == 0 {
                if let Some(pointer) = held.pop()
                    && !stacks.push(std::ptr::without_provenance_mut(pointer))
                {
                    held.push(pointer);
                }
            } else {
                let popped = stacks.pop();
                held.extend((!popped.is_null()).then(|| popped.addr()));
            }
            if step % 1_000 == 0 {
                std::thread::yield_now();
            }
        }
        held
    }
}
