import { decidingTally } from './quarantine.ts'
import { examplesOf, type Survey } from './survey.ts'
import type { ComparedHost } from './tally.ts'

/** Accounts, domains and networks listed by name, those with most failing hosts first. */
const sourcesNamedMax = 20

/** The hosts that fail in one region only, per source of one kind. */
export type SourceShares = {
  named: { name: string; hosts: number }[]
  /** Hosts of all sources that are not listed. */
  otherHosts: number
  /** The number of sources, listed or not. */
  distinct: number
}

/** The sources of the hosts that fail in one region only. */
type FailingSources = {
  /** By id; `catalog` for the catalog. */
  accounts: SourceShares
  domains: SourceShares
  networks: SourceShares
}

/** The stored evidence of a survey, for the operator. */
export type Evidence = {
  /** The compared hosts that decide, and those of them that fail only in this region. */
  hosts: number
  failing: number
  /** Hosts that fail only in this region and were not accepted as evidence. */
  refused: number
  examples: string[]
  sources: FailingSources
}

/** @param counts whether the survey was accepted: otherwise none of it is evidence */
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

const sourcesOf = (failing: readonly ComparedHost[]): FailingSources => ({
  accounts: sharesOf(failing, ({ owner }) => (owner.kind === 'catalog' ? 'catalog' : owner.accountId)),
  domains: sharesOf(failing, ({ site }) => site),
  networks: sharesOf(failing, ({ network }) => network ?? 'unknown'),
})

const sharesOf = (failing: readonly ComparedHost[], nameOf: (one: ComparedHost) => string): SourceShares => {
  const counts = new Map<string, number>()
  for (const one of failing) counts.set(nameOf(one), (counts.get(nameOf(one)) ?? 0) + 1)
  const named = [...counts]
    .map(([name, hosts]) => ({ name, hosts }))
    .toSorted((a, b) => b.hosts - a.hosts || (a.name < b.name ? -1 : 1))
    .slice(0, sourcesNamedMax)
  const namedHosts = named.reduce((sum, { hosts }) => sum + hosts, 0)
  return { named, otherHosts: failing.length - namedHosts, distinct: counts.size }
}
