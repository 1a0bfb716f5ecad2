// The clients of the protocol's makers, of both eras: clients.mjs POLYPROF SAMPLES. Prints one line of JSON for each.
import { Client as Older } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [polyprof, samples] = process.argv.slice(2);
const server = { command: polyprof, args: ['mcp', samples] };
const who = { name: 'tests', version: '1' };
const clients = [
	['sdk', () => [new Older(who), new OlderTransport(server)]],
	...['legacy', 'auto', { pin: '2026-07-28' }].map((mode) => [
		`client ${JSON.stringify(mode)}`,
		() => [new Client(who, { versionNegotiation: { mode } }), new StdioClientTransport(server)],
	]),
];

for (const [name, make] of clients) {
	const [client, transport] = make();
	await client.connect(transport);
	const file = 'folded/good/basic.folded';
	const top = await client.callTool({ name: 'top', arguments: { file, budget: 400 } });
	const outside = await client.callTool({ name: 'top', arguments: { file: '/etc/passwd' } });
	const seen = {
		name,
		tools: (await client.listTools()).tools.length,
		prompts: (await client.listPrompts()).prompts.length,
		resources: (await client.listResources()).resources.length,
		templates: (await client.listResourceTemplates()).resourceTemplates.length,
		rows: top.structuredContent.rows.length,
		same: top.content[0].text === JSON.stringify(top.structuredContent),
		refused: outside.isError === true && outside.structuredContent.error.includes('outside'),
		text: (await client.readResource({ uri: 'polyprof://findings' })).contents[0].text.length > 100,
	};
	await client.close();
	console.log(JSON.stringify(seen));
}
