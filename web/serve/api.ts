// Questions to the server: the same as those of the command line, as JSON or as packed tables.

export type Params = [string, string][];

/** What the server says instead of an answer. */
export class Refused extends Error {
  constructor(message: string, readonly status: number) {
    super(message);
  }
}

export function address(path: string, params: Params): string {
  const query = new URLSearchParams(params).toString();
  return '/api/v1/' + path + (query ? '?' + query : '');
}

async function refusal(answer: Response): Promise<Refused> {
  const text = await answer.text();
  try {
    const said = JSON.parse(text) as { error?: string | { message?: string }; message?: string };
    const message = typeof said.error === 'string' ? said.error : said.error?.message ?? said.message;
    if (message) return new Refused(message, answer.status);
  } catch { /* no JSON: the text itself */ }
  return new Refused(text.trim().slice(0, 300) || `${answer.status} ${answer.statusText}`, answer.status);
}

async function get(path: string, params: Params, more: RequestInit = {}): Promise<Response> {
  const answer = await fetch(address(path, params), { ...more, cache: 'no-store', redirect: 'error' }).catch(error => {
    throw error instanceof DOMException ? error : new Refused('the server cannot be reached; it may have been stopped', 0);
  });
  if (!answer.ok) throw await refusal(answer);
  return answer;
}

export async function askJson<T>(path: string, params: Params, signal?: AbortSignal): Promise<T> {
  return (await get(path, params, { signal })).json() as Promise<T>;
}

/** Packed tables, and what tells whether later ones are of the same content. */
export async function askBytes(path: string, params: Params, signal?: AbortSignal): Promise<{ packed: Uint8Array; stamp: string }> {
  const answer = await get(path, params, { signal });
  return { packed: new Uint8Array(await answer.arrayBuffer()), stamp: answer.headers.get('Polyprof-Stamp') ?? '' };
}

export async function post<T>(path: string, params: Params, body: Blob): Promise<T> {
  return (await get(path, params, { method: 'POST', body, headers: { 'Content-Type': 'application/octet-stream' } })).json() as Promise<T>;
}
