import { startLoop } from '@probe-mesh/runtime/loop'
import { setTimeout as elapse } from 'node:timers/promises'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import type { Target } from '@probe-mesh/infra/testing/target'
import type { Failure } from '../../testing/witness.ts'

const askEveryMs = 500
const answerMsMax = 5_000
/** A fault may stand in the way of being seen; no two of them last so long. */
const seenMsMax = 120_000
/** Between two failures. */
const wellMs = 60_000

/** Fails a target again and again, each time until all that measure it say so. */
export type FailureWatch = {
  /** Failures that began and ended. */
  readonly failures: readonly Failure[]
  /** What was not said in time. */
  readonly unseen: readonly string[]
  /** Ends after the failure that is under way. */
  close(): Promise<void>
}

/** @param checkIds checks of the target, operational now */
export const watchFailures = (sql: Sql, target: Target, checkIds: readonly string[]): FailureWatch => {
  const failures: Failure[] = []
  const unseen: string[] = []

  const all = async (status: string): Promise<boolean> => {
    // Postgres may be away.
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
      await elapse(askEveryMs)
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
