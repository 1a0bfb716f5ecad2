// What a server sent, held against the published schemas of both eras: wire.mjs < LINES of {"era", "method", "message"}.
// Prints one line of JSON for each message that does not fit, and how many there were.
import * as older from '@modelcontextprotocol/sdk/types.js';
import * as newer from '@modelcontextprotocol/core';
import { createInterface } from 'node:readline';

const results = {
	initialize: 'InitializeResult',
	ping: 'EmptyResult',
	'server/discover': 'DiscoverResult',
	'tools/list': 'ListToolsResult',
	'tools/call': 'CallToolResult',
	'prompts/list': 'ListPromptsResult',
	'prompts/get': 'GetPromptResult',
	'resources/list': 'ListResourcesResult',
	'resources/templates/list': 'ListResourceTemplatesResult',
	'resources/read': 'ReadResourceResult',
};
let count = 0;

for await (const line of createInterface({ input: process.stdin })) {
	const { era, method, message } = JSON.parse(line);
	const schemas = era.startsWith('2026') ? newer : older;
	const fit = [['JSONRPCMessage', message]];
	if ('result' in message) fit.push([results[method], message.result]);
	else if ('error' in message) fit.push(['JSONRPCErrorResponse', message]);
	else fit.push(['ProgressNotification', message]);
	for (const [name, value] of fit) {
		const seen = schemas[`${name}Schema`]?.safeParse(value) ?? { error: 'there is no such schema' };
		if (!seen.success) console.log(JSON.stringify({ era, method, name, error: String(seen.error).slice(0, 300) }));
	}
	count += 1;
}
console.log(count);
