import { uuidv7 } from '@probe-mesh/contracts/ids'
import type { Ping } from '../heartbeat/ping.ts'
import { takePings } from '../heartbeat/take-pings.ts'
import type { Sql } from '../postgres/connect.ts'
import { findFinishedRids } from '../postgres/heartbeat-runs.ts'
import { writeHeartbeats } from '../postgres/heartbeat-writes.ts'
import { lockHeartbeatsOfKeys } from '../postgres/heartbeats.ts'

/** A ping with the secret by which it was sent. */
export type KeyedPing = Ping & { pingKey: string }

/**
 * Records pings in one transaction, those of one heartbeat in the order given. What they lead to,
 * runs and flips, is recorded with them or not at all.
 * @returns the ping keys that exist
 */
export const recordPings = async (
  context: { sql: Sql; now: () => number },
  pings: readonly KeyedPing[],
): Promise<Set<string>> =>
  await context.sql.begin(async (tx) => {
    const byKey = Map.groupBy(pings, (ping) => ping.pingKey)
    const heartbeats = await lockHeartbeatsOfKeys(tx, [...byKey.keys()])
    const named = heartbeats.flatMap(({ checkId, pingKey }) =>
      (byKey.get(pingKey) ?? []).flatMap(({ rid }) => (rid === null ? [] : [{ checkId, rid }])),
    )
    const finished = await findFinishedRids(tx, named)
    const writes = heartbeats.map((before) => {
      if (before.definition === null) throw new Error('a newer version wrote this heartbeat')
      const taken = takePings(before.state, before.definition, byKey.get(before.pingKey) ?? [], {
        newRunId: () => uuidv7(context.now()),
        isFinished: (rid) => finished.has(`${before.checkId} ${rid}`),
      })
      return { before, ...taken }
    })
    await writeHeartbeats(tx, writes, context.now())
    return new Set(heartbeats.map(({ pingKey }) => pingKey))
  })
