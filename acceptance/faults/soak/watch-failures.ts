import { startLoop } from '@probe-mesh/runtime/loop'
import { setTimeout as elapse } from 'node:timers/promises'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import type { Target } from '@probe-mesh/infra/testing/target'
import type { Failure } from '../../testing/witness.ts'

const pollMs = 500
const answerMsMax = 5_000
/** The limit for seeing a failure. A fault may delay it, but no two faults last so long. */
const seenMsMax = 120_000
/** The pause between two failures. */
const wellMs = 60_000

/** Fails a target repeatedly, each time until all its checks report it. */
export type FailureWatch = {
  /** Finished failures. */
  readonly failures: readonly Failure[]
  /** Statuses that did not appear in time. */
  readonly unseen: readonly string[]
  /** Ends after the current failure. */
  close(): Promise<void>
}

/** @param checkIds checks of the target, operational now */
export const watchFailures = (sql: Sql, target: Target, checkIds: readonly string[]): FailureWatch => {
  const failures: Failure[] = []
  const unseen: string[] = []

  const all = async (status: string): Promise<boolean> => {
    // Postgres may be unavailable
    const rows = await Promise.race([
      sql<{ status: string }[]>`
        select status from check_states where check_id = any(${[...checkIds]}::uuid[])`,
      elapse(answerMsMax, []),
    ]).catch(() => [])
    return rows.length === checkIds.length && rows.every((row) => row.status === status)
  }
  const become = async (status: string): Promise<void> => {
    const endMs = performance.now() + seenMsMax
    while (!(await all(status))) {
      if (performance.now() > endMs) {
        unseen.push(`not ${status} within ${seenMsMax} ms, at ${new Date().toISOString()}`)
        return
      }
      await elapse(pollMs)
    }
  }
  const watching = startLoop({
    everyMs: wellMs,
    round: async () => {
      const fromMs = Date.now()
      target.behave('fail')
      await become('down')
      const toMs = Date.now()
      target.behave('ok')
      failures.push({ fromMs, toMs })
      await become('operational')
    },
    onError: (error) => {
      throw error
    },
  })
  return { failures, unseen, close: watching.close }
}
