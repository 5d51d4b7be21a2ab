import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Stores } from '@probe-mesh/infra/start/stores/stores'
import { startChild } from '../child.ts'
import type { Child } from '../child.ts'
import type { Run } from '../served-load.ts'
import type { Usage } from '../usage.ts'
import type { AnswersQuestion } from './answers-process.ts'
import type { LoadAnswer, LoadQuestion } from './load-process.ts'

const serverScript = new URL('answers-process.ts', import.meta.url)
const loadScript = new URL('load-process.ts', import.meta.url)

export const connections = 32

/** A server in a process of its own, and how many services its catalog has. */
export type Server = { child: Child; port: number; services: number }

export const startApp = async (options: {
  stores: Stores
  folder: string
  services: number
  addressesAreNamed: boolean
}): Promise<Server> => {
  const { stores, services, addressesAreNamed } = options
  const folder = join(options.folder, `bus-${services}-${addressesAreNamed}`)
  await mkdir(folder, { recursive: true })
  const { databaseUrl, clickhouseUrl } = stores
  return start(services, {
    kind: 'app',
    databaseUrl,
    clickhouseUrl,
    folder,
    services,
    addressesAreNamed,
  })
}

export const startConstant = (body: string, services: number): Promise<Server> =>
  start(services, { kind: 'constant', body })

const start = async (services: number, question: AnswersQuestion): Promise<Server> => {
  const child = startChild(serverScript)
  try {
    return { child, port: await child.ask<number>(question), services }
  } catch (error) {
    await child.close()
    throw error
  }
}

/** What asks, in a process of its own. */
export type Load = {
  /** Asks for the status of all services for some seconds. */
  ask(server: Server, seconds: number): Promise<Run>
  /** @returns how many reports were answered, and the slowest of a hundred of them */
  report(server: Server, perMinute: number, seconds: number): Promise<LoadAnswer>
  close(): Promise<void>
}

export const startLoad = (): Load => {
  const child = startChild(loadScript)
  const run = async (question: LoadQuestion): Promise<LoadAnswer> => {
    const answer = await child.ask<LoadAnswer>(question)
    if (answer.errors > 0) throw new Error(`${answer.errors} requests were not answered with 200`)
    return answer
  }
  return {
    ask: async (server, seconds) => {
      const { port, services } = server
      const before = await usageOf(server)
      const result = await run({ kind: 'ask', port, services, connections, seconds })
      const after = await usageOf(server)
      const cpuSeconds = after.cpuSeconds - before.cpuSeconds
      return {
        requestsPerSecond: result.requests / result.seconds,
        cpuMs: (cpuSeconds / result.requests) * 1_000,
        busy: cpuSeconds / (after.atSeconds - before.atSeconds),
        latencyP99Ms: result.latencyP99Ms,
      }
    },
    report: ({ port, services }, perMinute, seconds) =>
      run({ kind: 'report', port, services, connections: 8, seconds, perMinute }),
    close: () => child.close(),
  }
}

const usageOf = ({ child }: Server): Promise<Usage> =>
  child.ask<Usage>({ kind: 'usage' } satisfies AnswersQuestion)
