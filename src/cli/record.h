/*
 * Which profiler fits a command, and how it is run.
 */
#ifndef PP_RECORD_H
#define PP_RECORD_H

#include "base/buf.h"
#include "base/vec.h"

/* What runs a command. */
enum pp_record_kind {
	PP_RECORD_NATIVE, /* a binary, or what nothing else fits */
	PP_RECORD_PERL,
	PP_RECORD_PHP,
	PP_RECORD_NODE,
	PP_RECORD_PYTHON
};

struct pp_record;

struct pp_recorder {
	const char *name;    /* as --with says it */
	const char *program; /* that must be on the PATH; NULL: the command's own interpreter */
	const char *package; /* Debian's, that has it */
	const char *output;  /* how its file is called by default */
	const char *made;    /* how it is called in the directory where it is made */
	/* Appends what is run, up to where the command begins. */
	void (*start)(struct pp_record *);
};

/* A command that is to be recorded. */
struct pp_record {
	const char *const *command; /* NULL-terminated */
	const char *directory;      /* where the profiler writes */
	enum pp_record_kind kind;
	struct pp_buf interpreter; /* of a script: what runs it; empty for a binary */
	bool has_interpreter;      /* the command begins with it */
	struct pp_buf file;        /* the command as it was found on the PATH */
	const struct pp_recorder *recorder;
	PP_VEC(char *) argv; /* NULL-terminated in the end */
	bool failed;         /* out of memory */
};

/* All of them, name NULL at the end. */
extern const struct pp_recorder pp_recorders[];

/* Looks at the command: 0, or an errno (ENOENT, EACCES) why it cannot be run. */
int pp_record_look(struct pp_record *);
/* The words to run, with the profiler before the command. */
void pp_record_words(struct pp_record *);
/* A program on the PATH; false when there is none. */
bool pp_record_find(const char *program, struct pp_buf *path);
void pp_record_release(struct pp_record *);

#endif
