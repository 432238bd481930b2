/* The parts of QEMU's plugin interface, version 1, that counter.c uses, as QEMU documents them ("QEMU TCG Plugins"). */
#ifndef AXLE_BENCH_QEMU_PLUGIN_H
#define AXLE_BENCH_QEMU_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#define AXLE_EXPORTED __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;

struct qemu_info;      /* of the emulator */
struct qemu_plugin_tb; /* a block of instructions translated at once */
struct qemu_plugin_insn;

enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };

typedef void (*qemu_plugin_translated)(qemu_plugin_id_t id, struct qemu_plugin_tb* block);
typedef void (*qemu_plugin_called)(qemu_plugin_id_t id, void* data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_translated called);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_called called, void* data);
/* Adds `value` to *to each time that the block, or the instruction, is executed. */
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb* block, enum qemu_plugin_op op, void* to,
                                              uint64_t value);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* block);
struct qemu_plugin_insn* qemu_plugin_tb_get_insn(const struct qemu_plugin_tb* block, size_t index);
/* Returns null if the program's file names no function there. */
const char* qemu_plugin_insn_symbol(const struct qemu_plugin_insn* instruction);

#endif
