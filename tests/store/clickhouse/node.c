/*
 * A ClickHouse server for tests, out of chDB's library: the command line of clickhouse-local, whose queries start
 * the listeners and then wait for the end of standard input.
 */
typedef struct chdb_result_ chdb_result;

chdb_result *chdb_query_cmdline(int argc, char **argv);
const char *chdb_result_error(chdb_result *);

int
main(int argc, char **argv)
{
	chdb_result *result = chdb_query_cmdline(argc, argv);

	return !result || chdb_result_error(result);
}
