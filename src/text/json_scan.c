/*
 * A pull scanner for JSON: see json_scan.h.
 */
#include "base/common.h"
