/*
 * The call tree under a budget: the heaviest nodes first, rows that add up, dull ones skipped.
 */
#ifndef PP_EXCERPT_TREE_H
#define PP_EXCERPT_TREE_H

#include "questions/excerpt.h"

/* What is shown of the tree of a topic: from a node on (NULL = the root), so deep (0 = any depth). */
pp_status pp_excerpt_tree(struct pp_excerpt *, const struct pp_topic *, size_t metric,
                          const char *node, uint64_t depth);

#endif
