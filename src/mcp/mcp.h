/*
 * The Model Context Protocol over standard input and output, or message by message through another transport (HTTP):
 * JSON-RPC 2.0, two eras of the protocol in one process. Questions are asked as the command line asks them (pp_ask_files), so both give the same answers.
 *
 *     wire.c     lines in, messages out
 *     server.c   requests to answers; the thread that asks questions
 *     tools.c    what can be asked, as schemas; arguments to files and parameters
 *     texts.c    instructions, prompts, resources
 *     writing.c  tools that write files, where that is allowed
 *     paths.c    files, and nothing outside of the directories that were named
 */
#ifndef PP_MCP_H
#define PP_MCP_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/common.h"
#include "base/vec.h"
#include "polyprof/polyprof_experimental.h"
#include "text/json_emit.h"
#include "text/json_scan.h"

/* A question that is a tool: which of its parameters are arguments, and how its files are called. */
struct pp_mcp_tool {
	const char *name; /* of the question */
	const char *about;
	const char *files;     /* "file", "before after", "files", "dir"; the first must be given */
	const char *arguments; /* parameters, blank separated; "filter" stands for all filters */
	const char *must;      /* of them, one that has to be given; or NULL */
	bool writes;           /* it writes a file, `output`, and answers with a link to it */
};

struct pp_mcp_options {
	const struct pp_mcp_tool *tools; /* ended by name NULL */
	const char *const *directories;  /* below which files may be read */
	size_t directory_count;
	uint64_t memory;   /* bytes of profiles that are kept */
	uint64_t timeout;  /* seconds of a call */
	int in, out;       /* descriptors */
	const char *write; /* where tools that write do so; NULL = there are none such */
	/* Finds files by other rules than that of directories, as pp_mcp_path() does; or NULL. */
	const char *(*path)(void *ctx, struct pp_arena *, const char *path, bool directory,
	                    struct pp_buf *problem);
	const struct pp_provider *provider; /* as in pp_ask_opts */
	void (*complain)(void *ctx, const char *text);
	void *ctx;
};

/* Serves until the input ends. 0, or 4 when nobody reads the answers any more; 2 when a directory is none. */
int pp_mcp_serve(const struct pp_mcp_options *);

/* ---- other transports ---- */

/* Where a message came from. What its transport says beside it: p NULL when it says nothing. */
struct pp_mcp_port {
	struct pp_slice version, method, name; /* MCP-Protocol-Version, Mcp-Method, Mcp-Name */
	/* Takes a message, as one line; `last` when it answers the request. */
	void (*send)(void *ctx, const char *message, size_t n, bool last);
	bool (*gone)(void *ctx); /* nobody waits for the answer any more; any thread */
	void *ctx;
};

/* What became of a message. */
enum pp_mcp_outcome {
	PP_MCP_ANSWERED, /* with a result, or an error of what was asked */
	PP_MCP_NOTED,    /* there is nothing to answer */
	PP_MCP_REFUSED,  /* it is no request that is served */
	PP_MCP_UNKNOWN   /* there is no such method */
};

/* Answers one message before it returns; no state is kept but for the shelf. */
enum pp_mcp_outcome pp_mcp_answer(const struct pp_mcp_options *, const struct pp_mcp_port *,
                                  pp_shelf *, const char *message, size_t n);

/* ---- between the files ---- */

#define PP_MCP_LINE_MAX ((size_t)1 << 20)
#define PP_MCP_DEPTH_MAX 64
#define PP_MCP_MODERN "2026-07-28"
#define PP_MCP_LEGACY "2025-11-25"
#define PP_MCP_OLDER "2025-06-18"

/* Codes of errors. */
enum {
	PP_RPC_PARSE = -32700,
	PP_RPC_INVALID = -32600,
	PP_RPC_METHOD = -32601,
	PP_RPC_PARAMS = -32602,
	PP_RPC_VERSION = -32022,
	PP_RPC_HEADER = -32020,
	PP_RPC_RESOURCE = -32002
};

/* One request; slices lie in its line. */
struct pp_mcp_request {
	char *line; /* with room for the scanner behind it */
	size_t n;
	struct pp_slice id;     /* as it stands; n = 0: it is a notification */
	struct pp_slice method; /* decoded, in the arena or the line */
	struct pp_slice params; /* as it stands; n = 0: none */
	struct pp_slice token;  /* of progress, as it stands; n = 0: none */
	bool modern;
	struct pp_arena arena;
};

struct pp_mcp_server;

/* A message to be written: it begins "{"jsonrpc":"2.0"" and is ended and sent by pp_mcp_send(). */
struct pp_mcp_message {
	struct pp_buf bytes;
	struct pp_sink *sink;
	struct pp_json json;
	bool last; /* it answers a request */
};
bool pp_mcp_message_begin(struct pp_mcp_message *);
void pp_mcp_send(struct pp_mcp_server *, struct pp_mcp_message *);
/* {"jsonrpc", "id", "result": {...: what every result has; pp_mcp_result_end() ends both objects and sends. */
bool pp_mcp_result_begin(struct pp_mcp_message *, const struct pp_mcp_request *);
void pp_mcp_result_end(struct pp_mcp_server *, struct pp_mcp_message *,
                       const struct pp_mcp_request *);
/* What lists have besides, in the present era. */
void pp_mcp_cacheable(struct pp_mcp_message *, const struct pp_mcp_request *);
/* An error; without a request it has no id. `data` (JSON, or NULL) is more of it. */
void pp_mcp_error(struct pp_mcp_server *, const struct pp_mcp_request *, int code, const char *text,
                  const char *data);
/* A string member of the params; n = 0 and p NULL when there is none. */
struct pp_slice pp_mcp_text(struct pp_mcp_request *, const char *key);

/* ---- tools ---- */

void pp_mcp_tools_list(struct pp_mcp_server *, const struct pp_mcp_request *);
const struct pp_mcp_tool *pp_mcp_tool_find(const struct pp_mcp_options *, struct pp_slice name);
/* The schema of a tool's arguments. */
void pp_mcp_tool_schema(struct pp_json *, const struct pp_mcp_tool *);

/* Files and parameters of a call; texts are in the arena. */
struct pp_mcp_call {
	const struct pp_mcp_tool *tool;
	PP_VEC(const char *) files, params;
	const char *output;    /* that is written; NULL = nothing is */
	struct pp_buf problem; /* why it cannot be asked; n = 0: it can */
};
void pp_mcp_call_read(struct pp_mcp_call *, struct pp_mcp_request *, const struct pp_mcp_options *);
void pp_mcp_call_release(struct pp_mcp_call *);

/* ---- texts ---- */

extern const char pp_mcp_instructions[];
void pp_mcp_prompts_list(struct pp_mcp_server *, const struct pp_mcp_request *);
void pp_mcp_prompt_get(struct pp_mcp_server *, struct pp_mcp_request *);
void pp_mcp_resources_list(struct pp_mcp_server *, const struct pp_mcp_request *);
void pp_mcp_templates_list(struct pp_mcp_server *, const struct pp_mcp_request *);
void pp_mcp_resource_read(struct pp_mcp_server *, struct pp_mcp_request *,
                          const struct pp_mcp_options *);

/* ---- writing ---- */

/* The path of a file to be written, by its name alone, in the arena; NULL with the reason in *problem. */
const char *pp_mcp_output(const struct pp_mcp_options *, struct pp_arena *, const char *name,
                          struct pp_buf *problem);
/* Asks and writes; what is lost in that is told by the ids of rules. False with the reason in *problem. */
bool pp_mcp_write(const struct pp_mcp_call *, const struct pp_ask_opts *, struct pp_buf *object,
                  struct pp_buf *problem);
/* Puts a link to what was written. */
void pp_mcp_link_put(struct pp_json *, const char *path);

/* ---- paths ---- */

/* The real path of a file or directory that may be read, in the arena; NULL with the reason in *problem. */
const char *pp_mcp_path(const struct pp_mcp_options *, struct pp_arena *, const char *path,
                        bool directory, struct pp_buf *problem);

#endif
