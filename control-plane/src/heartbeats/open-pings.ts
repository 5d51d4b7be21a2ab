import { createRateLimiter } from '@probe-mesh/runtime/rate-limiter'
import { createSlidingWindow } from '@probe-mesh/runtime/sliding-window'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createCheckIns } from './check-ins.ts'
import { recordNamedPings } from './named-heartbeats.ts'
import { createPingQueue, type PingQueue } from './ping-queue.ts'
import { bindPings } from './pings-route.ts'
import { recordPings } from './record-pings.ts'
import type { Sql } from '../stores/postgres/connect.ts'

/** Pings of one address of a heartbeat (S-603), and addresses counted at the same time. */
const pingsPerSecondMax = 5
const pingKeysMax = 50_000

/** The routes of pings, and check-ins, which share their queue and rate. */
export const openPings = (
  app: FastifyInstance,
  { sql, log, now }: { sql: Sql; log: Logger; now: () => number },
): { pings: PingQueue; checkIns: ReturnType<typeof createCheckIns> } => {
  const queue = createPingQueue((batch) =>
    recordNamedPings(sql, batch, (keyed) => recordPings({ sql, now }, keyed)),
  )
  const meter = () => createSlidingWindow(pingsPerSecondMax, 1_000)
  const rate = createRateLimiter({ now, keysMax: pingKeysMax, meter })
  bindPings(app, { queue, rate, log, now })
  return { pings: queue, checkIns: createCheckIns({ queue, rate, now }) }
}
