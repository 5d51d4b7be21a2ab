import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { applyPings, type Ping } from './ping.ts'
import type { Sql } from '../stores/postgres/connect.ts'
import { findFinishedRids } from './heartbeat-runs.ts'
import { writeHeartbeats } from './heartbeat-writes-store.ts'
import { findHeartbeatsOfKeys } from './heartbeats-store.ts'

/** A ping with the ping key from its URL. */
export type KeyedPing = Ping & { pingKey: string }

/** Retries when other writers were first: there are as many as pings or deadlines at the same moment. */
const attemptsMax = 20

/**
 * Records pings, those of one heartbeat together and in order, with the runs and flips that they lead to,
 * completely or not at all. If another writer was first, the result is computed again from its state.
 * @returns the ping keys that exist
 */
export const recordPings = async (
  context: { sql: Sql; now: () => number },
  pings: readonly KeyedPing[],
): Promise<Set<string>> => {
  const known = new Set<string>()
  const open = Map.groupBy(pings, (ping) => ping.pingKey)
  for (let attempt = 1; open.size > 0; attempt++) {
    if (attempt > attemptsMax)
      throw new Error(`${open.size} heartbeats: ${attemptsMax} writes in a row were overtaken`)
    await recordOnce(context, open, known)
  }
  return known
}

/** Removes recorded pings and unknown keys from `open`. */
const recordOnce = async (
  { sql, now }: { sql: Sql; now: () => number },
  open: Map<string, KeyedPing[]>,
  known: Set<string>,
): Promise<void> => {
  const heartbeats = await findHeartbeatsOfKeys(sql, [...open.keys()])
  const found = new Set(heartbeats.map(({ pingKey }) => pingKey))
  for (const pingKey of open.keys()) if (!found.has(pingKey)) open.delete(pingKey)
  const named = heartbeats.flatMap(({ checkId, pingKey }) =>
    (open.get(pingKey) ?? []).flatMap(({ rid }) => (rid === null ? [] : [{ checkId, rid }])),
  )
  const finished = await findFinishedRids(sql, named)
  const writes = heartbeats.map((before) => {
    if (before.definition === null) throw new Error('a newer version wrote this heartbeat')
    const applied = applyPings(before.state, before.definition, open.get(before.pingKey) ?? [], {
      newRunId: () => uuidv7(now()),
      isFinished: (rid) => finished.has(`${before.checkId} ${rid}`),
    })
    return { before, ...applied }
  })
  const written = await writeHeartbeats(sql, writes, now())
  for (const { checkId, pingKey } of heartbeats) {
    if (!written.has(checkId)) continue
    known.add(pingKey)
    open.delete(pingKey)
  }
}
