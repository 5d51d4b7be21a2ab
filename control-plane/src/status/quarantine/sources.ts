import { decidingTally } from './quarantine.ts'
import { examplesOf } from './survey.ts'
import type { Survey } from './survey.ts'
import type { ComparedHost } from './tally.ts'

/** Accounts, domains and networks that are named, those with most failing hosts first. */
const sourcesNamedMax = 20

/** Of the hosts that fail in one region only, how many each of a kind holds. */
export type SourceShares = {
  named: { name: string; hosts: number }[]
  /** Hosts of all that are not named. */
  otherHosts: number
  /** How many there are, named or not. */
  distinct: number
}

/** Who holds the hosts that fail in one region only. */
type FailingSources = {
  /** By id; `catalog` for its own. */
  accounts: SourceShares
  domains: SourceShares
  networks: SourceShares
}

/** What is kept of a survey, for the operator. */
export type Evidence = {
  /** Hosts that were compared, and those of them that fail in the region only, as far as they decide. */
  hosts: number
  failing: number
  /** Hosts that fail in the region only and were refused as evidence. */
  refused: number
  examples: string[]
  sources: FailingSources
}

/** @param counts whether the survey was believed: else nothing of it is evidence */
export const evidenceOf = (survey: Survey, counts: boolean): Evidence => {
  const failing = survey.catalog.failing + survey.accounts.failing
  const deciding = decidingTally(survey)
  return {
    hosts: counts ? deciding.hosts : survey.catalog.hosts + survey.accounts.hosts,
    failing: counts ? deciding.failing : failing,
    refused: counts ? failing - deciding.failing : failing,
    examples: examplesOf(survey),
    sources: sourcesOf(survey.failing),
  }
}

export const sourcesOf = (failing: readonly ComparedHost[]): FailingSources => ({
  accounts: sharesOf(failing, ({ owner }) =>
    owner.kind === 'catalog' ? 'catalog' : owner.accountId,
  ),
  domains: sharesOf(failing, ({ site }) => site),
  networks: sharesOf(failing, ({ network }) => network ?? 'unknown'),
})

const sharesOf = (
  failing: readonly ComparedHost[],
  nameOf: (one: ComparedHost) => string,
): SourceShares => {
  const counts = new Map<string, number>()
  for (const one of failing) counts.set(nameOf(one), (counts.get(nameOf(one)) ?? 0) + 1)
  const named = [...counts]
    .map(([name, hosts]) => ({ name, hosts }))
    .toSorted((a, b) => b.hosts - a.hosts || (a.name < b.name ? -1 : 1))
    .slice(0, sourcesNamedMax)
  const namedHosts = named.reduce((sum, { hosts }) => sum + hosts, 0)
  return { named, otherHosts: failing.length - namedHosts, distinct: counts.size }
}
