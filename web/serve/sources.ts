// What the server was started with, and files that were dropped.

import { askJson } from './api';

export interface Source {
  name: string; // as it is asked for
  kind: 'file' | 'directory' | 'store' | 'dropped';
  writable?: boolean; // a store that takes profiles
  title?: string;
  format?: string;
  bytes?: number;
  time?: number; // seconds since 1970
}

export async function listSources(): Promise<Source[]> {
  return (await askJson<{ sources: Source[] }>('sources', [])).sources;
}
