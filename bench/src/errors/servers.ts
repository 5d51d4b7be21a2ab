import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Stores } from '@probe-mesh/infra/start/stores/stores'
import { startChild } from '../child.ts'
import type { Child } from '../child.ts'
import type { Usage } from '../usage.ts'
import type { LoadAnswer, LoadQuestion } from './load-process.ts'
import type { ServerQuestion } from './server-process.ts'

const serverScript = new URL('server-process.ts', import.meta.url)
const loadScript = new URL('load-process.ts', import.meta.url)

/** A server in a process of its own. */
export type Server = { child: Child; origin: string }

/** More than any run sends. */
export const unbounded = 1_000_000_000

/** The real app on a bus of its own below `folder`. */
export const startApp = async (options: {
  stores: Stores
  folder: string
  name: string
  persists: boolean
  eventsPerSecond?: number
  eventsPerMonth?: number
}): Promise<Server> => {
  const { stores, name, persists } = options
  const folder = join(options.folder, name)
  await mkdir(folder, { recursive: true })
  return start({
    kind: 'app',
    databaseUrl: stores.databaseUrl,
    clickhouseUrl: stores.clickhouseUrl,
    folder,
    persists,
    eventsPerSecond: options.eventsPerSecond ?? unbounded,
    eventsPerMonth: options.eventsPerMonth ?? unbounded,
  })
}

export const startFloor = (): Promise<Server> => start({ kind: 'floor' })

const start = async (question: ServerQuestion): Promise<Server> => {
  const child = startChild(serverScript)
  try {
    return { child, origin: await child.ask<string>(question) }
  } catch (error) {
    await child.close()
    throw error
  }
}

export const usageOf = ({ child }: Server): Promise<Usage> =>
  child.ask<Usage>({ kind: 'usage' } satisfies ServerQuestion)

/** One window of load, and what it took of the server. */
export type Run = LoadAnswer & {
  perSecond: number
  cpuMs: number
  /** CPU of the server by wall time. */
  busy: number
}

export type Load = {
  run(server: Server, question: Part<LoadQuestion>): Promise<Run>
  close(): Promise<void>
}

type Part<Question> = Question extends unknown ? Omit<Question, 'origin'> : never

/** What sends or asks, in a process of its own. */
export const startLoad = (): Load => {
  const child = startChild(loadScript)
  return {
    run: async (server, question) => {
      const before = await usageOf(server)
      const answer = await child.ask<LoadAnswer>({ ...question, origin: server.origin })
      const after = await usageOf(server)
      const cpuSeconds = after.cpuSeconds - before.cpuSeconds
      return {
        ...answer,
        perSecond: answer.requests / answer.seconds,
        cpuMs: (cpuSeconds / answer.requests) * 1_000,
        busy: cpuSeconds / (after.atSeconds - before.atSeconds),
      }
    },
    close: () => child.close(),
  }
}

/** @throws Error where an answer was none of these */
export const expectStatuses = (run: LoadAnswer, allowed: readonly number[]): void => {
  const others = Object.keys(run.statuses).filter((status) => !allowed.includes(Number(status)))
  if (others.length > 0) throw new Error(`answered ${JSON.stringify(run.statuses)}`)
}
