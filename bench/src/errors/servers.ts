import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { startServer } from '../harness/served-load.ts'
import type { BenchStores } from '../harness/stores.ts'
import type { ErrorServerQuestion } from './server-process.ts'

const script = new URL('server-process.ts', import.meta.url)

/** Starts the real app, with a stream of its own, in a process of its own. */
export const startErrorApp = async ({ databaseUrl, clickhouseUrl, folder }: BenchStores) =>
  startServer(script, {
    kind: 'app',
    databaseUrl,
    clickhouseUrl,
    folder: await mkdtemp(join(folder, 'bus-')),
  } satisfies ErrorServerQuestion)

/** Starts a server that only reads, decompresses and parses bodies. */
export const startFloor = () => startServer(script, { kind: 'floor' } satisfies ErrorServerQuestion)
