import { sinceMsOf, type Survey } from './survey.ts'
import type { Tally } from './tally.ts'

/** With fewer distinct sources, their faults and the region's cannot be distinguished; canaries can. */
const sourcesMin = 8
/** Percent of a region's sources that may fail in this region only. */
const failingPercentMax = 30
/** Sources of the catalog that confirm readings of accounts, if the catalog is too small to decide alone. */
const confirmingMin = 2
/** Hosts for which agents reported failing canaries, to confirm readings of accounts. */
const offlineMin = 3
/** How long a region must be clean before it votes again (S-1006), ms. */
export const cleanMs = 120_000
/** After this long without any comparison, a region has no vote that could mislead, ms. */
export const silentMsMax = 600_000

/** A region whose own network counts as broken. Unix ms. */
export type Quarantine = {
  /** When the first failure was measured. */
  sinceMs: number
  /**
   * Since when no unlikely share of its hosts fails; null while one does, or while nothing can be compared.
   */
  cleanSinceMs: number | null
  /** When its hosts could last be compared with other regions. */
  comparedAtMs: number
}

/** The verdict of a survey. */
export type Finding =
  | 'well'
  /** An unlikely share fails only in this region: its own network is broken. */
  | 'broken'
  /** Only checks of accounts fail, without confirmation by the catalog or a canary: not enough. */
  | 'unconfirmed'

/**
 * Broken: at least 8 distinct sources, and over 30 % of them fail only in this region. If the catalog has as
 * many, it decides alone: an account can neither accuse a region nor clear it. If it has fewer, accounts
 * count too, but only if the catalog or the canaries of agents confirm them: sign-up is open, and a target
 * that fails for one region can be arranged (S-1001, S-1003).
 */
export const judgeSurvey = (survey: Survey): Finding => {
  const { catalog, accounts } = survey
  if (decidesAlone(catalog)) {
    if (isOverLimit(catalog)) return 'broken'
  } else {
    const all = together(catalog, accounts)
    if (decidesAlone(all) && isOverLimit(all) && isConfirmed(survey)) return 'broken'
  }
  return accounts.hosts >= sourcesMin && failsOften(accounts) ? 'unconfirmed' : 'well'
}

/** The deciding evidence: the catalog's, or everyone's if that is too little. */
export const decidingTally = ({ catalog, accounts }: Survey): Tally =>
  decidesAlone(catalog) ? catalog : together(catalog, accounts)

const decidesAlone = ({ sources }: Tally): boolean => sources >= sourcesMin

const isConfirmed = ({ catalog, offline }: Survey): boolean =>
  offline >= offlineMin || (catalog.sourcesFailing >= confirmingMin && isOverLimit(catalog))

const isOverLimit = ({ sources, sourcesFailing }: Tally): boolean =>
  sourcesFailing * 100 > sources * failingPercentMax

const failsOften = ({ hosts, failing }: Tally): boolean => failing * 100 > hosts * failingPercentMax

const together = (a: Tally, b: Tally): Tally => ({
  hosts: a.hosts + b.hosts,
  failing: a.failing + b.failing,
  sources: a.sources + b.sources,
  sourcesFailing: a.sourcesFailing + b.sourcesFailing,
})

/**
 * The quarantine of a region after a survey; null if there is none. It begins with an unlikely share of
 * failures, and ends when the share has stayed at or below the limit for two minutes, even with few sources
 * left. Silence is not clean: while nothing can be compared, no clean time passes, and only long silence ends
 * the quarantine (S-1006).
 */
export const nextQuarantine = (held: Quarantine | null, survey: Survey, nowMs: number): Quarantine | null => {
  if (held === null) {
    if (judgeSurvey(survey) !== 'broken') return null
    return { sinceMs: sinceMsOf(survey) ?? nowMs, cleanSinceMs: null, comparedAtMs: nowMs }
  }
  if (survey.catalog.hosts + survey.accounts.hosts === 0) {
    return nowMs - held.comparedAtMs >= silentMsMax ? null : { ...held, cleanSinceMs: null }
  }
  if (isStillBroken(survey)) return { ...held, cleanSinceMs: null, comparedAtMs: nowMs }
  const cleanSinceMs = held.cleanSinceMs ?? nowMs
  return nowMs - cleanSinceMs >= cleanMs ? null : { ...held, cleanSinceMs, comparedAtMs: nowMs }
}

/** By the catalog, however small; by accounts only if they are confirmed. */
const isStillBroken = (survey: Survey): boolean => {
  const { catalog, accounts } = survey
  if (isOverLimit(catalog)) return true
  return !decidesAlone(catalog) && isOverLimit(together(catalog, accounts)) && isConfirmed(survey)
}
