/* The world of wit/tool.wit as the canonical ABI presents it to a core module: structs in memory, numbers on the stack. */
#pragma once

typedef unsigned int size;
typedef unsigned char byte;

typedef struct { const byte *data; size length; } string;
typedef struct { byte is_some; string value; } option;
typedef struct { option output, error; } response;

#define TEXT(literal) ((string){ (const byte *)(literal), sizeof(literal) - 1 })
#define EXPORT(name) __attribute__((export_name(name)))

/* The log levels of `reborn:tool/host`, in its order. */
enum log_level { TRACE, DEBUG, INFO, WARN, ERROR };

__attribute__((import_module("reborn:tool/host@1.0.0"), import_name("log")))
void host_log(enum log_level level, const byte *message, size length);

/* Memory is only allocated; all of it is freed at once when the host has read the response. */
void *take(size bytes);
void give_all_back(void);
