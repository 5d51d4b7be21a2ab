import { createRecent } from '@probe-mesh/runtime/recent'
import type { Ask } from '../api/ask.ts'
import type { NavigationCounts } from '../html/dashboard-page.ts'

/** The counts in the navigation are this old at most. */
const freshMsDefault = 1_000
const accountsMax = 2_000

export type CountKeeper = {
  /** Open things by area; none if counting fails, since a page matters more than its counts. */
  countsOf(accountId: string, ask: Ask): Promise<NavigationCounts>
  /** Counts again for the account's next page: a member changed something. */
  forget(accountId: string): void
}

/** Counts once a second for all pages of an account, and again after each change by one of its members. */
export const createCountKeeper = (now: () => number, freshMs = freshMsDefault): CountKeeper => {
  const known = createRecent<{ atMs: number; counts: Promise<NavigationCounts | null> }>(accountsMax)
  return {
    countsOf: async (accountId, ask) => {
      const last = known.get(accountId)
      const isFresh = last !== undefined && Math.abs(now() - last.atMs) < freshMs
      const entry = isFresh ? last : { atMs: now(), counts: askCounts(ask) }
      if (!isFresh) known.set(accountId, entry)
      const counts = await entry.counts
      if (counts === null && known.get(accountId) === entry) known.delete(accountId)
      return counts ?? {}
    },
    forget: (accountId) => known.delete(accountId),
  }
}

const askCounts = async (ask: Ask): Promise<NavigationCounts | null> => {
  const counts = await ask('getCounts', {}).catch(() => null)
  if (counts === null || !counts.ok) return null
  const {
    openOutages,
    openIncidents,
    unresolvedIssues,
    activeMaintenance,
    nothingMeasured = false,
  } = counts.value
  return {
    nothingMeasured,
    incidents: { count: openOutages + openIncidents, text: 'open', isBad: openOutages > 0 },
    errors: { count: unresolvedIssues, text: 'unresolved', isBad: false },
    maintenance: { count: activeMaintenance, text: 'active', isBad: false },
  }
}
