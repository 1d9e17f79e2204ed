//! Restartable sequences: a few instructions that the kernel restarts when the thread leaves its
//! CPU in the middle of them.
//!
//! # Theory
//!
//! A thread registers an area with the kernel (glibc does, from 2.35 on). The kernel keeps the
//! number of the thread's CPU in it. The thread may put the address of a descriptor there, which
//! names a range of instructions; when the thread is preempted, moved or gets a signal while it
//! is in the range, it continues at the descriptor's abort address instead. So a sequence whose
//! last instruction is one store is done on one CPU, undisturbed, or not at all: no lock and no
//! atomic instruction is needed for data that belongs to that CPU (P. Turner, A. Hunter; Linux
//! `Documentation/userspace-api/rseq.rst`, `include/uapi/linux/rseq.h`).
//!
//! Here there are two: pop from, and push to, a stack of pointers of one CPU. Both compare the
//! CPU within the range, so the stack is the right one or nothing was done.
//!
//! Elsewhere than on x86-64, and where the C library registers nothing, [`Area::of_thread`] is
//! `None` and callers use locks.

use std::ptr::NonNull;

/// The start of `struct rseq`.
#[repr(C)]
#[derive(Debug)]
struct Registered {
    cpu_id_start: u32,
    cpu_id: i32,
    rseq_cs: u64,
    flags: u32,
}

/// The registered area of the calling thread, and the CPU that it is on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Area {
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "no sequence uses it")
    )]
    registered: NonNull<Registered>,
    cpu: u32,
}

/// A stack of pointers of one CPU: how many, and where they are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stack {
    pub(crate) count: *mut u32,
    pub(crate) slots: *mut *mut u8,
    pub(crate) capacity: u32,
}

impl Area {
    /// The CPU.
    #[inline]
    pub(crate) fn cpu(self) -> usize {
        self.cpu as usize
    }
}

#[cfg(target_arch = "x86_64")]
impl Area {
    /// That of this thread, if it has one.
    #[inline]
    pub(crate) fn of_thread() -> Option<Self> {
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
        if offset.is_null() {
            return None;
        }
        // SAFETY: glibc's constant lives as long as the process.
        let offset = unsafe { offset.read() };
        let thread: *mut u8;
        // SAFETY: the first word of a thread's control block is its own address.
        unsafe {
            std::arch::asm!(
                "mov {thread}, qword ptr fs:[0]",
                thread = out(reg) thread,
                options(nostack, pure, readonly, preserves_flags)
            );
        }
        let registered = NonNull::new(thread.wrapping_offset(offset).cast::<Registered>())?;
        // SAFETY: glibc keeps the area with the control block; the kernel writes the number.
        let cpu = unsafe { &raw const (*registered.as_ptr()).cpu_id };
        // SAFETY: as above; the kernel may change it at any time.
        let cpu = unsafe { cpu.read_volatile() };
        // A negative number says that the kernel knows nothing of the area.
        let cpu = u32::try_from(cpu).ok()?;
        Some(Self { registered, cpu })
    }

    /// Takes the top of the CPU's stack; null when it is empty or the thread left the CPU.
    ///
    /// # Safety
    /// The stack is that of `self.cpu()`, and is touched by these sequences alone.
    #[inline]
    pub(crate) unsafe fn pop(self, stack: Stack) -> *mut u8 {
        let top: *mut u8;
        // SAFETY: reads and writes the caller's stack and this thread's area; every way out of the
        // sequence ends at 7, with `top` written.
        unsafe {
            std::arch::asm!(
                ".pushsection __rseq_cs, \"aw\"",
                ".balign 32",
                "2: .long 0, 0",
                ".quad 3f, 4f - 3f, 5f",
                ".popsection",
                "lea {count_now}, [rip + 2b]",
                "mov qword ptr [{area} + 8], {count_now}",
                "3: cmp dword ptr [{area} + 4], {cpu:e}",
                "jne 6f",
                "mov {count_now:e}, dword ptr [{count}]",
                "test {count_now:e}, {count_now:e}",
                "jz 6f",
                "mov {top}, qword ptr [{slots} + {count_now} * 8 - 8]",
                "dec {count_now:e}",
                "mov dword ptr [{count}], {count_now:e}",
                "4: jmp 7f",
                // The kernel only jumps to an address behind this signature.
                ".byte 0x0f, 0xb9, 0x3d",
                ".long 0x53053053",
                "5:",
                "6: xor {top:e}, {top:e}",
                "7:",
                area = in(reg) self.registered.as_ptr(),
                cpu = in(reg) self.cpu,
                count = in(reg) stack.count,
                slots = in(reg) stack.slots,
                count_now = out(reg) _,
                top = out(reg) top,
                options(nostack)
            );
        }
        top
    }

    /// Puts a pointer on the CPU's stack; whether there was room and the thread stayed.
    ///
    /// # Safety
    /// As [`Area::pop`].
    #[inline]
    pub(crate) unsafe fn push(self, stack: Stack, pointer: *mut u8) -> bool {
        let done: u64;
        // SAFETY: as in `pop`; a slot at or beyond the count holds nothing.
        unsafe {
            std::arch::asm!(
                ".pushsection __rseq_cs, \"aw\"",
                ".balign 32",
                "2: .long 0, 0",
                ".quad 3f, 4f - 3f, 5f",
                ".popsection",
                "lea {count_now}, [rip + 2b]",
                "mov qword ptr [{area} + 8], {count_now}",
                "3: cmp dword ptr [{area} + 4], {cpu:e}",
                "jne 6f",
                "mov {count_now:e}, dword ptr [{count}]",
                "cmp {count_now:e}, {capacity:e}",
                "jae 6f",
                "mov qword ptr [{slots} + {count_now} * 8], {pointer}",
                "inc {count_now:e}",
                "mov dword ptr [{count}], {count_now:e}",
                "4: mov {count_now:e}, 1",
                "jmp 7f",
                ".byte 0x0f, 0xb9, 0x3d",
                ".long 0x53053053",
                "5:",
                "6: xor {count_now:e}, {count_now:e}",
                "7:",
                area = in(reg) self.registered.as_ptr(),
                cpu = in(reg) self.cpu,
                count = in(reg) stack.count,
                slots = in(reg) stack.slots,
                capacity = in(reg) stack.capacity,
                pointer = in(reg) pointer,
                count_now = out(reg) done,
                options(nostack)
            );
        }
        done == 1
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Area {
    /// There is no sequence for this architecture.
    pub(crate) fn of_thread() -> Option<Self> {
        None
    }

    /// Nothing is there.
    ///
    /// # Safety
    /// None is needed.
    pub(crate) unsafe fn pop(self, _stack: Stack) -> *mut u8 {
        std::ptr::null_mut()
    }

    /// There is never room.
    ///
    /// # Safety
    /// None is needed.
    pub(crate) unsafe fn push(self, _stack: Stack, _pointer: *mut u8) -> bool {
        false
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// A stack for each CPU, shared by all threads.
    struct Stacks {
        counts: Vec<u32>,
        slots: Vec<[*mut u8; 64]>,
    }

    #[derive(Clone, Copy)]
    struct Shared(*mut Stacks);
    // SAFETY: only the sequences touch what it points to.
    unsafe impl Send for Shared {}

    impl Shared {
        fn of(self, cpu: usize) -> Stack {
            // SAFETY: the vectors outlive the threads and are never resized.
            let stacks = unsafe { &mut *self.0 };
            Stack {
                count: &raw mut stacks.counts[cpu],
                slots: stacks.slots[cpu].as_mut_ptr(),
                capacity: 64,
            }
        }
    }

    #[test]
    fn threads_that_are_moved_and_preempted_lose_no_pointer_and_take_none_twice() {
        let Some(_) = Area::of_thread() else {
            panic!("glibc 2.35 registers an area; without one, locks are used and tested");
        };
        let mut stacks = Stacks {
            counts: vec![0; 1024],
            slots: vec![[std::ptr::null_mut(); 64]; 1024],
        };
        let shared = Shared(&raw mut stacks);
        let kept: Vec<Vec<usize>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8_usize)
                .map(|thread| scope.spawn(move || juggle(shared, thread)))
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("it ends"))
                .collect()
        });
        let on_stacks = stacks.counts.iter().zip(&stacks.slots);
        let on_stacks = on_stacks.flat_map(|(&count, slots)| slots[..count as usize].iter());
        let mut all: Vec<usize> = on_stacks.map(|pointer| pointer.addr()).collect();
        all.extend(kept.into_iter().flatten());
        let distinct: HashSet<usize> = all.iter().copied().collect();
        assert_eq!((all.len(), distinct.len()), (8 * 16, 8 * 16));
    }

    /// Pushes own pointers and pops whatever is there, many times; what it holds at the end.
    fn juggle(shared: Shared, thread: usize) -> Vec<usize> {
        let mut held: Vec<usize> = (1..=16).map(|number| thread * 100 + number).collect();
        for step in 0..200_000 {
            let area = Area::of_thread().expect("registered above");
            let stack = shared.of(area.cpu());
            if step % 2 == 0 {
                if let Some(pointer) = held.pop() {
                    let pointer_there = std::ptr::without_provenance_mut(pointer);
                    // SAFETY: the stack is that of the area's CPU.
                    if !unsafe { area.push(stack, pointer_there) } {
                        held.push(pointer);
                    }
                }
            } else {
                // SAFETY: as above.
                let popped = unsafe { area.pop(stack) };
                if !popped.is_null() {
                    held.push(popped.addr());
                }
            }
            if step % 1_000 == 0 {
                std::thread::yield_now();
            }
        }
        held
    }
}
