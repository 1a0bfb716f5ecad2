/*
 * The state of a server. Internal to src/mcp.
 */
#ifndef PP_MCP_SERVER_H
#define PP_MCP_SERVER_H

#include <pthread.h>
#include <stdatomic.h>

#include "mcp/mcp.h"

struct pp_mcp_server {
	const struct pp_mcp_options *options;
	const struct pp_mcp_port *port; /* where messages go instead of options->out; or NULL */
	pthread_mutex_t output;         /* one message at a time */
	_Atomic bool deaf;              /* nobody reads what is written */
	bool refused;                   /* by another transport: an error was told */
	bool initialized;               /* by a handshake of the older era */

	/* Calls that wait for the thread that asks; guarded by `lock`. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	PP_VEC(struct pp_mcp_request *) waiting;
	struct pp_mcp_request *running;
	bool ending;
	_Atomic bool stop; /* the running call: it was cancelled, took too long, or all ends */
	_Atomic int64_t deadline; /* of the running call, ns */
	_Atomic bool cancelled;   /* nothing is to be said of it any more */
	pp_shelf *shelf;
};

/* Why a call failed where the answer does not say it well: memory, with how much it takes at least by what was read of the file; or
 * the body of a report that is a link. NULL otherwise. */
const char *pp_mcp_reason(struct pp_buf *, const pp_answer *, pp_status,
                          const struct pp_mcp_options *, uint64_t read, const struct pp_mcp_call *);

#endif
