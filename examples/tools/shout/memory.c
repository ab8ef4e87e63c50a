#include "component.h"

#define PAGE 65536

extern byte __heap_base;
static byte *next = &__heap_base;

void *take(size bytes) {
  byte *start = (byte *)(((size)next + 7) & ~7u);
  size end = (size)start + bytes, room = __builtin_wasm_memory_size(0) * PAGE;
  if (end < (size)start) __builtin_trap();
  if (end > room && __builtin_wasm_memory_grow(0, (end - room + PAGE - 1) / PAGE) == (size)-1) __builtin_trap();

  next = start + bytes;
  return start;
}

void give_all_back(void) { next = &__heap_base; }

/* The host allocates memory for `params` here. It never grows an allocation. */
EXPORT("cabi_realloc")
void *cabi_realloc(void *old, size old_bytes, size alignment, size new_bytes) {
  if (old_bytes != 0 || alignment > 8) __builtin_trap();
  return take(new_bytes);
}
