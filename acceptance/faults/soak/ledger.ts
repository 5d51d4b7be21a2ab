import type { ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { dueSlots, storedIdsOf } from '../../testing/audit.ts'
import { unexplainedSlots, type AgentOutage } from '../../testing/outage.ts'

/** The slot ledger of a whole run, counted from the stores and the agents' journals. */
export type Ledger = {
  /** Expected slots. */
  due: number
  stored: number
  /** Readings that are journalled but not stored. */
  lost: number
  /** Readings that are stored more than once. */
  duplicated: number
  /** Readings that are stored but not journalled. */
  invented: number
  /** Expected slots without a run. */
  missed: number
  /** Missed slots that no dead or frozen agent explains. */
  unexplained: number
}

/** Checks per query, because the readings of a whole run are too many for one answer. */
const checksAtOnce = 50

/**
 * Reads the ledger of some checks after everything came to rest.
 * @param span of expected slots, Unix ms: from the last assignment to the last slot that no pause cut off
 */
export const readLedger = async (
  { sql, clickhouse }: { sql: Sql; clickhouse: ClickHouse },
  checkIds: readonly string[],
  journals: ReadonlyMap<string, ReadonlySet<string>>,
  outages: readonly AgentOutage[],
  span: { fromMs: number; toMs: number },
): Promise<Ledger> => {
  const ledger = {
    due: 0,
    stored: 0,
    lost: 0,
    duplicated: 0,
    invented: 0,
    missed: 0,
    unexplained: 0,
  }
  const journalled = Map.groupBy(
    [...journals.values()].reduce((all, ids) => all.union(ids), new Set<string>()),
    (id) => id.slice(0, id.indexOf(':')),
  )
  for (let at = 0; at < checkIds.length; at += checksAtOnce) {
    const some = checkIds.slice(at, at + checksAtOnce)
    const stored = await storedIdsOf(clickhouse, some)
    const unique = new Set(stored)
    const ran = new Set(some.flatMap((id) => journalled.get(id) ?? []))
    const due = (await dueSlots(sql, span.toMs, some)).filter(({ slotMs }) => slotMs >= span.fromMs)
    ledger.due += due.length
    ledger.stored += unique.size
    ledger.duplicated += stored.length - unique.size
    ledger.lost += ran.difference(unique).size
    ledger.invented += unique.difference(ran).size
    ledger.missed += due.filter(({ id }) => !ran.has(id)).length
    ledger.unexplained += unexplainedSlots(due, journals, outages).length
  }
  return ledger
}
