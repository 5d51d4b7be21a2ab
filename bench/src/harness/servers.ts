import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import type { AppQuestion } from './app-process.ts'
import { startServer } from './served-load.ts'
import type { BenchStores } from './stores.ts'

const script = new URL('app-process.ts', import.meta.url)

/** Starts the real app in a process of its own. */
export const startApp = async (
  { databaseUrl, clickhouseUrl, folder }: Pick<BenchStores, 'databaseUrl' | 'clickhouseUrl' | 'folder'>,
  { services = null, pages = false }: { services?: number | null; pages?: boolean } = {},
) =>
  startServer(script, {
    kind: 'app',
    databaseUrl,
    clickhouseUrl,
    folder: await mkdtemp(join(folder, 'bus-')),
    services,
    pages,
  } satisfies AppQuestion)

/** The text of a response, which a constant then repeats. @throws where its status is not 2xx */
export const bodyOf = async (url: string, headers: Record<string, string> = {}): Promise<string> => {
  const response = await fetch(url, { headers })
  if (!response.ok) throw new Error(`${url} answers ${response.status}`)
  return await response.text()
}

/** Starts Fastify with the app's own options and one route with a constant response. */
export const startConstant = (constant: {
  path: string
  body: string
  type?: string
  maxParamLength?: number
}) =>
  startServer(script, {
    type: 'application/json; charset=utf-8',
    maxParamLength: 100,
    ...constant,
    kind: 'constant',
  } satisfies AppQuestion)
