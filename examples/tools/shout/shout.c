/* A tool that turns {"text": "abc"} into {"text":"ABC"}: ASCII letters only, everything else is unchanged. */
#include "component.h"

typedef struct { const byte *at, *end; byte *out; } reader;

static const char *read_params(reader *r);

EXPORT("description")
const string *description(void) {
  static string text = TEXT("Turns the letters a to z of a text into capitals.");
  return &text;
}

EXPORT("schema")
const string *schema(void) {
  static string text = TEXT(
    "{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\",\"description\":\"Text to shout\"}},"
    "\"required\":[\"text\"],\"additionalProperties\":false}");
  return &text;
}

EXPORT("execute")
const response *execute(const byte *params, size length) {
  static response answer;
  byte *output = take(length + sizeof("{\"text\":\"\"}"));
  reader r = { params, params + length, output };
  const char *problem = read_params(&r);
  if (problem) {
    size end = 0;
    while (problem[end]) end++;
    answer = (response){ .error = { 1, { (const byte *)problem, end } } };
    return &answer;
  }
  host_log(DEBUG, output, r.out - output);
  answer = (response){ .output = { 1, { output, r.out - output } } };
  return &answer;
}

EXPORT("cabi_post_execute")
void post_execute(const response *answer) { give_all_back(); }

static void skip_space(reader *r) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')) r->at++;
}

/* Consumes the literal if it comes next, after spaces. */
static int accept(reader *r, const char *literal) {
  skip_space(r);
  const byte *at = r->at;
  for (; *literal; literal++, at++)
    if (at == r->end || *at != (byte)*literal) return 0;
  r->at = at;
  return 1;
}

static void put(reader *r, const char *text) { while (*text) *r->out++ = *text++; }

static byte shouted(byte letter) { return letter >= 'a' && letter <= 'z' ? letter - 'a' + 'A' : letter; }

static int hex(byte digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  byte letter = shouted(digit);
  return letter >= 'A' && letter <= 'F' ? letter - 'A' + 10 : -1;
}

/* After a backslash: an escape is unchanged, unless it represents a letter. */
static int copy_escape(reader *r) {
  static const char simple[] = "\"\\/bfnrt";
  if (r->at == r->end) return 0;
  byte kind = *r->at++;
  for (const char *known = simple; *known; known++)
    if (kind == *known) return *r->out++ = '\\', *r->out++ = kind, 1;
  if (kind != 'u' || r->end - r->at < 4) return 0;

  size code = 0;
  for (int i = 0; i < 4; i++) {
    int digit = hex(r->at[i]);
    if (digit < 0) return 0;
    code = code << 4 | digit;
  }
  if (code >= 'a' && code <= 'z') *r->out++ = shouted(code);
  else {
    *r->out++ = '\\', *r->out++ = 'u';
    for (int i = 0; i < 4; i++) *r->out++ = r->at[i];
  }
  r->at += 4;
  return 1;
}

static int copy_text(reader *r) {
  while (r->at < r->end) {
    byte next = *r->at++;
    if (next == '"') return 1;
    if (next < 0x20) return 0;
    if (next != '\\') *r->out++ = shouted(next);
    else if (!copy_escape(r)) return 0;
  }
  return 0;
}

/* Writes the output while reading. Returns an error message, or nothing. */
static const char *read_params(reader *r) {
  if (!accept(r, "{")) return "Invalid parameters: expected an object";
  if (!accept(r, "\"text\"") || !accept(r, ":")) return "Invalid parameters: expected 'text' and nothing else";
  if (!accept(r, "\"")) return "Invalid parameters: 'text' must be a string";

  put(r, "{\"text\":\"");
  if (!copy_text(r)) return "Invalid parameters: 'text' is not a valid JSON string";
  put(r, "\"}");

  if (!accept(r, "}")) return "Invalid parameters: expected 'text' and nothing else";
  skip_space(r);
  return r->at == r->end ? 0 : "Invalid parameters: something follows the object";
}
