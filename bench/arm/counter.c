/* A plugin of qemu-user that counts executed instructions. When the program ends, -plugin file=PATH,out=FILE writes
   their number to FILE, and then a line for each function named in the program's own file: its count and its name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu_plugin.h"

AXLE_EXPORTED int qemu_plugin_version = 1;

/* A function by name. The emulator owns the name, which is valid until it ends. */
struct function {
  const char* name;
  uint64_t count;
};

enum { most = 1 << 15 };
static struct function functions[most];
static uint64_t total;
static const char* path;

/* Returns the counter of a function. The first entry counts functions without a name and those that do not fit. */
static uint64_t* count_of(const char* name) {
  if (name == NULL) return &functions[0].count;
  uint64_t hash = 14695981039346656037u;
  for (const char* c = name; *c != 0; ++c) hash = (hash ^ (unsigned char)*c) * 1099511628211u;
  for (uint64_t i = 0; i < most; ++i) {
    struct function* f = &functions[1 + (hash + i) % (most - 1)];
    if (f->name == NULL) f->name = name;
    if (strcmp(f->name, name) == 0) return &f->count;
  }
  return &functions[0].count;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb* block) {
  (void)id;
  const size_t count = qemu_plugin_tb_n_insns(block);
  qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, &total, count);
  const char* const name = qemu_plugin_insn_symbol(qemu_plugin_tb_get_insn(block, 0));
  qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, count_of(name), count);
}

static void ended(qemu_plugin_id_t id, void* data) {
  (void)id, (void)data;
  FILE* const file = fopen(path, "w");
  int failed = file == NULL;
  if (!failed) {
    fprintf(file, "%llu\n", (unsigned long long)total);
    for (int i = 0; i < most; ++i)
      if (functions[i].count != 0)
        fprintf(file, "%llu %s\n", (unsigned long long)functions[i].count, i == 0 ? "-" : functions[i].name);
    failed = fclose(file) != 0;
  }
  if (failed) perror(path);
}

AXLE_EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info* info, int argc, char** argv) {
  (void)info;
  if (argc != 1 || strncmp(argv[0], "out=", 4) != 0) {
    fprintf(stderr, "counter: the option out=FILE is missing\n");
    return -1;
  }
  path = strdup(argv[0] + 4);
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_atexit_cb(id, ended, NULL);
  return 0;
}
