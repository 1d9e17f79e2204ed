/* What flowgauge calls of MPI, with one binary interface for every implementation.
 *
 * MPI defines its interface in C source and not in binary: handles are integers in one
 * implementation and pointers in another. So this file is compiled by the mpicc of the
 * implementation that is used, and everything that differs stays in it. Errors are fatal, as MPI
 * has it by default: the library says what failed and ends the ranks. */
#include <mpi.h>
#include <stdint.h>
#include <string.h>

/* GCC takes MPICH's MPI_STATUSES_IGNORE, which is the address 1, for an array that is too short. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

static MPI_Win window;
static uint64_t *exposed;

/* Begins; rank, size and whether so many threads may call the library are the result. A rank of one thread
 * asks for no more than it needs: at any other level small messages of Open MPI take 1.4 to 2.3 times as long. */
void fg_init(int threads, int *rank, int *size, int *allowed) {
  int needed = threads > 1 ? MPI_THREAD_SERIALIZED : MPI_THREAD_SINGLE, level = 0;
  MPI_Init_thread(NULL, NULL, needed, &level);
  *allowed = level >= needed;
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
}

/* The library's name and version, on one line. */
void fg_library(char *text, int bytes) {
  char all[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(all, &length);
  strncpy(text, all, bytes - 1);
  text[bytes - 1] = 0;
  text[strcspn(text, "\n")] = 0;
}

void fg_finalize(void) {
  if (exposed) MPI_Win_free(&window);
  MPI_Finalize();
}

void fg_barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

void fg_gather(const uint64_t *own, uint64_t *all, int words) {
  MPI_Allgather(own, words, MPI_UINT64_T, all, words, MPI_UINT64_T, MPI_COMM_WORLD);
}

void fg_sum(double *values, int count) {
  MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

void fg_send(const void *bytes, int count, int to) {
  MPI_Send(bytes, count, MPI_BYTE, to, 1, MPI_COMM_WORLD);
}

void fg_receive(void *bytes, int count, int from) {
  MPI_Recv(bytes, count, MPI_BYTE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The messages of a window: MOST_WINDOW in task.rs. */
enum { MOST_WINDOW = 64 };

/* Sends the same bytes as several messages at once; an empty one comes back when all are there. */
void fg_send_window(const void *bytes, int count, int messages, int to) {
  MPI_Request sent[MOST_WINDOW];
  for (int i = 0; i < messages; i++) MPI_Isend(bytes, count, MPI_BYTE, to, 3, MPI_COMM_WORLD, &sent[i]);
  MPI_Waitall(messages, sent, MPI_STATUSES_IGNORE);
  MPI_Recv(NULL, 0, MPI_BYTE, to, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Receives them one behind the other. */
void fg_receive_window(char *bytes, int count, int messages, int from) {
  MPI_Request came[MOST_WINDOW];
  for (int i = 0; i < messages; i++)
    MPI_Irecv(bytes + (size_t)i * count, count, MPI_BYTE, from, 3, MPI_COMM_WORLD, &came[i]);
  MPI_Waitall(messages, came, MPI_STATUSES_IGNORE);
  MPI_Send(NULL, 0, MPI_BYTE, from, 4, MPI_COMM_WORLD);
}

/* Sends to one neighbour while receiving from the other; a rank below 0 is none. */
void fg_exchange(const double *out, int to, double *in, int from, int count) {
  MPI_Sendrecv(out, count, MPI_DOUBLE, to < 0 ? MPI_PROC_NULL : to, 2, in, count, MPI_DOUBLE,
               from < 0 ? MPI_PROC_NULL : from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* 64 bytes from one to the next. At 8, MPICH 4.0.2 takes numbers of two ranks for one. */
enum { APART = 8 };

/* Numbers in the memory of this rank that every rank can take and add to, now 0. All ranks call this, each with as many
 * each time. */
void fg_expose(int numbers) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!exposed) {
    MPI_Aint bytes = (MPI_Aint)numbers * APART * sizeof *exposed;
    MPI_Win_allocate(bytes, APART * sizeof *exposed, MPI_INFO_NULL, MPI_COMM_WORLD, &exposed, &window);
  }
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
  for (int i = 0; i < numbers; i++) exposed[i * APART] = 0;
  MPI_Win_unlock(rank, window);
  MPI_Barrier(MPI_COMM_WORLD);
}

uint64_t fg_next(int rank, int number) {
  uint64_t one = 1, was = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
  MPI_Fetch_and_op(&one, &was, MPI_UINT64_T, rank, number, MPI_SUM, window);
  MPI_Win_unlock(rank, window);
  return was;
}
