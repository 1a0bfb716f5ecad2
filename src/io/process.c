/*
 * Other programs.
 */
#include "io/process.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>

extern char **environ;

static int
attributes_set(posix_spawnattr_t *attributes, bool apart)
{
	sigset_t none, ignored;
	int error;

	(void)sigemptyset(&none);
	(void)sigemptyset(&ignored);
	(void)sigaddset(&ignored, SIGPIPE);
	(void)sigaddset(&ignored, SIGXFSZ);
	error = posix_spawnattr_setsigmask(attributes, &none);
	error = error ? error : posix_spawnattr_setsigdefault(attributes, &ignored);
	error = error ? error : posix_spawnattr_setpgroup(attributes, 0);
	return error ? error
	             : posix_spawnattr_setflags(
	                   attributes, (short)(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
	                                       (apart ? POSIX_SPAWN_SETPGROUP : 0)));
}

int
pp_process_start(const char *const argv[], const int streams[3], bool apart, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error, i;

	if (posix_spawn_file_actions_init(&actions) != 0)
		return ENOMEM;
	if (posix_spawnattr_init(&attributes) != 0) {
		(void)posix_spawn_file_actions_destroy(&actions);
		return ENOMEM;
	}
	error = attributes_set(&attributes, apart);
	for (i = 0; i < 3 && !error; i++)
		error = posix_spawn_file_actions_adddup2(&actions, streams[i], i);
	if (!error)
		error = posix_spawnp(pid, argv[0], &actions, &attributes,
		                     (char *const *)(uintptr_t)argv, environ);
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)posix_spawnattr_destroy(&attributes);
	return error;
}
