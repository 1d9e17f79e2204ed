//! What a process of flowgauge is beside the command: a slot process (the fresh process of one slot), the
//! load generator of a slot that is a server, a server in one of the compared forms, a rank of an MPI
//! program, a keeper on a node that has ranks, a probe (a fresh process behind a lowered limit), a sampler or a profiler beside a slot, a look
//! into a library, or the janitor of a run.
//!
//! The program `flowgauge-slot` is these alone, and is loaded by the system's C library: a static flowgauge
//! carries it ([`flow::carried`]).

#![forbid(unsafe_code)]

/// Does not return in a process that was started in a role: to be called first in `main`.
pub fn play_a_role() {
    if flow::is_slot_process() {
        flow::slot_process_main(workload::Work::run);
    }
    if program::load::is_load() {
        program::load::load_main(workload::server::load_in_rounds);
    }
    if program::serve::is_serve() {
        program::serve::serve_main();
    }
    if mpi::is_rank() {
        mpi::rank_main();
    }
    if mpi::keeper::is_keeper() {
        mpi::keeper::keeper_main();
    }
    if flow::is_janitor() {
        flow::janitor_main();
    }
    if flow::is_probe() {
        workload::probe_main(|model| lab::probe::predict(&machine::Machine::read(), model));
    }
    if flow::is_sampler() {
        flow::sampler_main();
    }
    if workload::loaded::is_look() {
        workload::loaded::look_main();
    }
    if flow::is_profiler() {
        flow::profiler_main();
    }
}
