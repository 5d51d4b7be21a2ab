import { createApiClient } from '@probe-mesh/contracts/api/client'
import { connectClickHouse, type ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { expect, vi } from 'vitest'
import { dueSlots, flipsSince, journalledIds, readJournals, storedIds } from '../../testing/audit.ts'
import { createChecks } from '../../testing/create-checks.ts'
import { everythingAssigned } from '../../testing/everything-assigned.ts'
import { unexplainedSlots, type AgentOutage } from '../../testing/outage.ts'
import {
  startProcesses,
  type Processes,
  type ProcessesOptions,
} from '@probe-mesh/infra/testing/processes/processes'
import { startTarget, type Target } from '@probe-mesh/infra/testing/target'

const statusTimeout = { timeout: 60_000, interval: 100 }

/** Checks of one target, created before a fault. */
type Group = { target: Target; ids: readonly string[] }

/** A running mesh of processes, with the queries of fault tests. */
export type FaultMesh = {
  readonly parts: Processes
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  /** Checks whose target always answers. */
  readonly calm: Group
  /** Checks whose target a test changes. */
  readonly changing: Group
  awaitStatus(group: Group, status: string): Promise<void>
  /** The new statuses of a group's checks since an instant, each once, sorted. */
  newStatuses(group: Group, sinceMs: number): Promise<string[]>
  /** Waits until everything journalled so far is stored. @returns the duration, ms */
  awaitStored(): Promise<number>
  /** Missed slots that no outage explains, and the number of expected slots. */
  ledger(
    fromMs: number,
    toMs: number,
    outages?: readonly AgentOutage[],
  ): Promise<{ due: number; missed: number; unexplained: string[] }>
  /** A check as its account sees it. */
  seen(checkId: string): Promise<{ status: string; fresh: number }>
  close(): Promise<void>
}

/** @param options.checks per group */
export const startFaultMesh = async (
  options: Pick<
    ProcessesOptions,
    'regions' | 'agentsPerRegion' | 'environmentOf' | 'environment' | 'prepare'
  > & {
    checks: number
    intervalSeconds: number
  },
): Promise<FaultMesh> => {
  const { checks, intervalSeconds, ...how } = options
  const [calmTarget, changingTarget] = await Promise.all([startTarget(), startTarget()])
  const parts = await startProcesses({
    ...how,
    tiers: { scale: { intervalSecondsMin: 1, monitors: 1_000 } },
    budgetScale: 10_000,
  })
  const sql = connectPostgres(parts.databaseUrl, { connectionsMax: 4 })
  const clickhouse = connectClickHouse(parts.clickhouseUrl)
  const close = async (): Promise<void> => {
    await Promise.all([sql.end({ timeout: 1 }), clickhouse.close()])
    await parts.close()
    await Promise.all([calmTarget.close(), changingTarget.close()])
  }
  const awaitStatus = async ({ ids }: Group, status: string): Promise<void> =>
    vi.waitFor(async () => {
      const rows = await sql<{ id: string; status: string }[]>`
        select check_id as id, status from check_states where check_id = any(${[...ids]}::uuid[])`
      expect(rows).toHaveLength(ids.length)
      expect(rows.filter((row) => row.status !== status)).toEqual([])
    }, statusTimeout)
  const create = async (target: Target): Promise<Group> => {
    const body = (n: number) => ({ name: `${n}`, url: target.url(`/${n}`), intervalSeconds })
    const inputs = Array.from({ length: checks }, (_, n) => body(n))
    return { target, ids: await createChecks(parts, inputs) }
  }
  try {
    const groups = { calm: await create(calmTarget), changing: await create(changingTarget) }
    await awaitStatus(groups.calm, 'operational')
    await awaitStatus(groups.changing, 'operational')
    await everythingAssigned(parts, 2 * checks * options.regions.length)
    return {
      ...groups,
      parts,
      sql,
      clickhouse,
      awaitStatus,
      newStatuses: async ({ ids }, sinceMs) =>
        [...new Set((await flipsSince(sql, ids, sinceMs)).map(({ to }) => to))].toSorted(),
      awaitStored: async () => {
        const journalled = await journalledIds(parts.journalDir)
        const startedAt = performance.now()
        await vi.waitFor(
          async () => {
            const stored = new Set(await storedIds(clickhouse))
            expect(journalled.difference(stored).size).toBe(0)
          },
          { timeout: 180_000, interval: 500 },
        )
        return Math.round(performance.now() - startedAt)
      },
      ledger: async (fromMs, toMs, outages = []) => {
        const due = (await dueSlots(sql, toMs)).filter(({ slotMs }) => slotMs >= fromMs)
        const journals = await readJournals(parts.journalDir)
        const ran = [...journals.values()].reduce((all, ids) => all.union(ids), new Set())
        const unexplained = unexplainedSlots(due, journals, outages).map(({ id }) => id)
        return { due: due.length, missed: due.filter(({ id }) => !ran.has(id)).length, unexplained }
      },
      seen: async (id) => {
        const answer = await createApiClient(parts).call('getCheck', { params: { id } })
        if (!answer.ok) throw new Error(answer.problem.message)
        const { status, regionStatuses } = answer.value
        return { status, fresh: regionStatuses.filter((one) => one.fresh).length }
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
