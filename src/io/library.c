/*
 * Libraries by the dynamic linker.
 */
#include "io/library.h"

#include <dlfcn.h>
#include <pthread.h>

static bool
load(const struct pp_library *library)
{
	void *file = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
	size_t i;

	for (i = 0; file && i < library->n; i++) {
		void *found = dlsym(file, library->calls[i].name);

		if (!found)
			return false;
		/* ISO C has no way from void * to a function but by its bytes. */
		memcpy(library->calls[i].to, &found, sizeof found);
	}
	return file != NULL;
}

bool
pp_library_has(struct pp_library *library)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	bool there;

	pthread_mutex_lock(&lock);
	if (!library->state)
		library->state = load(library) ? 1 : -1;
	there = library->state > 0;
	pthread_mutex_unlock(&lock);
	return there;
}
