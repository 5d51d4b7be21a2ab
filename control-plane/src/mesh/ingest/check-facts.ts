import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import type { Sql, Connection } from '../../stores/postgres/connect.ts'

/** The fields of a reading's row that come from its check. */
export type CheckFacts = { accountId: string; rawDays: number; hourDays: number }

/**
 * The age limit of a look-up. A deleted check may gain rows for this long, so the purge must run later.
 */
export const factsAgeMsMax = 5_000
const factsMax = 500_000

export type FactsOfChecks = {
  /** Facts about the checks that exist. A deleted check is missing. */
  find(checkIds: Iterable<string>): Promise<Map<string, CheckFacts>>
  forget(checkId: string): void
}

/** Which checks exist and how long their readings are kept, cached for a few seconds. */
export const createFactsOfChecks = (capabilities: {
  sql: Sql
  tiers: Readonly<Record<Tier, TierLimits>>
  now: () => number
}): FactsOfChecks => {
  const { sql, tiers, now } = capabilities
  const known = new Map<string, { facts: CheckFacts | null; seenAt: number }>()
  return {
    forget: (checkId) => {
      known.delete(checkId)
    },
    find: async (checkIds) => {
      const nowMs = now()
      const found = new Map<string, CheckFacts>()
      const missing: string[] = []
      for (const checkId of new Set(checkIds)) {
        const entry = known.get(checkId)
        if (entry === undefined || nowMs - entry.seenAt > factsAgeMsMax) missing.push(checkId)
        else if (entry.facts !== null) found.set(checkId, entry.facts)
      }
      if (missing.length === 0) return found
      // only an answer proves that a check is gone: an unavailable database proves nothing
      const entries = await findDirectoryEntries(sql, missing)
      if (known.size + missing.length > factsMax) known.clear()
      for (const checkId of missing) known.set(checkId, { facts: null, seenAt: nowMs })
      for (const { checkId, accountId, tier } of entries) {
        const { rawDays, hourDays } = tiers[tier]
        const facts = { accountId, rawDays, hourDays }
        known.set(checkId, { facts, seenAt: nowMs })
        found.set(checkId, facts)
      }
      return found
    },
  }
}

/** What ingest needs about a check to store its readings. */
type DirectoryEntry = { checkId: string; accountId: string; tier: Tier }

/** The checks that exist. A deleted check is missing. */
const findDirectoryEntries = async (
  db: Connection,
  checkIds: readonly string[],
): Promise<DirectoryEntry[]> => {
  return await db<DirectoryEntry[]>`
    select checks.id as "checkId", checks.account_id as "accountId", accounts.tier
    from checks join accounts on accounts.id = checks.account_id
    where checks.id = any(${[...checkIds]}::uuid[])`
}
