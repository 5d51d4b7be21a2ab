import type { Evidence } from '@probe-mesh/contracts/answers'
import type { GradedProbe, ProbeGrade } from '@probe-mesh/contracts/catalog-grade'
import type { Region } from '@probe-mesh/contracts/regions'
import type { RegionView } from './region-reading.ts'
import { serviceStatus } from './service-status.ts'
import { placeOf, shownIn } from './shown.ts'
import type { Shown } from './shown.ts'

/**
 * "GitHub is up in 4 of 4 regions, measured 2026-11-20 12:00 UTC.": a sentence to repeat as it
 * stands. It says no more than the probes show: that an address answers is not that a service works.
 * @param region the one that was asked for, or null for all of them
 * @param probes what is asked of the service, in the catalog's order
 */
export const statusSummary = (
  name: string,
  region: Region | null,
  views: readonly RegionView[],
  evidence: Pick<Evidence, 'measuredAt' | 'vantage'>,
  probes: readonly GradedProbe[],
): string => {
  if (serviceStatus(views) !== 'no_data') {
    return `${statusClause(name, views, probes)}${whenAndWhere(evidence)}.`
  }
  const from = region === null ? '' : ` from ${region}`
  const last =
    evidence.measuredAt === null
      ? ''
      : `; the last measurement was at ${minuteOf(evidence.measuredAt)}`
  return `${noDataClause(name, from, views)}, so we cannot say whether it is up or down${last}.`
}

const noDataClause = (name: string, from: string, views: readonly RegionView[]): string => {
  if (views.some(({ changed }) => changed)) {
    return `The page of ${name} that we measure${from} changed`
  }
  const own = views.flatMap(({ unmeasured, quarantined }) =>
    quarantined ? [] : (unmeasured ?? []),
  )
  return own.length === 0
    ? `We have no recent measurement of ${name}${from}`
    : `Our own probes could not measure ${name}${from} (${mostOf(own)})`
}

const statusClause = (
  name: string,
  views: readonly RegionView[],
  probes: readonly GradedProbe[],
): string => {
  const fresh = views.filter((view) => view.fresh)
  const codes = (status: RegionView['status']): string[] =>
    fresh.flatMap((view) => (view.status === status ? [view.region] : []))
  const [up, down, blocked] = [codes('up'), codes('down'), codes('blocked')]
  const status = serviceStatus(views)
  switch (status) {
    case 'up':
      return `${upClause(name, shareOf(up, fresh), shownIn(fresh, probes))}${refusedIn(blocked)}`
    case 'down':
      return `${name} is down in ${shareOf(down, fresh)}: ${reasonOf(fresh)}${askedAt(fresh, probes)}`
    case 'down_in_some_regions': {
      const word = upWords[shownIn(fresh, probes).grade ?? 'edge']
      const upText = up.length > 0 ? ` and ${word} in ${list(up)}` : ''
      const failing = fresh.filter((view) => view.status === 'down')
      if (up.length > 0 && failing.every(({ reading }) => reading?.unanswered === true)) {
        return `${name} gives no answer from ${list(down)} only (${reasonOf(failing)})${upText}${refusedIn(blocked)}`
      }
      return `${name} is down in ${shareOf(down, fresh)} (${list(down)})${upText}${refusedIn(blocked)}`
    }
    case 'blocked':
      return `${name} refused our probes in ${shareOf(blocked, fresh)}, so we cannot say whether it is up or down`
    case 'no_data':
      return `${name} is not measured`
    default:
      return status satisfies never
  }
}

const upWords: Readonly<Record<ProbeGrade, string>> = {
  works: 'up',
  answers: 'answers',
  edge: 'serves a file',
}

const upClause = (name: string, where: string, { grade, places }: Shown): string => {
  if (grade === 'works') return `${name} is up in ${where}`
  const subject = `${list(places)} (${name})`
  const isOne = places.length === 1
  return grade === 'answers'
    ? `${subject} ${isOne ? 'answers' : 'answer'} in ${where}, which does not show that all of ${name} works`
    : `${subject} ${isOne ? 'is' : 'are'} served in ${where}, which says little of whether ${name} works`
}

/** Where the failing probe that most regions tell of was asked. */
const askedAt = (fresh: readonly RegionView[], probes: readonly GradedProbe[]): string => {
  const failing = fresh.flatMap(({ status, reading }) =>
    status === 'down' ? (probes[reading?.probe ?? 0] ?? []) : [],
  )
  const places = [...new Set(failing.map(placeOf))]
  return places.length === 0 ? '' : ` (asked ${list(places)})`
}

/**
 * The sentence of what is not in the catalog: never a guess.
 * @param asked as the visitor wrote it
 */
export const notCoveredSummary = (asked: string, didYouMean: readonly string[]): string => {
  const name = quotable(asked)
  const subject = name === '' ? 'That service' : `"${name}"`
  const end = didYouMean.length === 0 ? '.' : `; did you mean ${list(didYouMean, 'or')}?`
  return `${subject} is not in our catalog, so we do not measure it and cannot say whether it is up or down${end}`
}

const namedCharactersMax = 60
const reasonCharactersMax = 160

/** What a visitor or a target wrote, as part of one line: no control characters, no quotes, cut. */
const quotable = (text: string, charactersMax = namedCharactersMax): string =>
  [...text.slice(0, 4 * charactersMax).replaceAll(/[\p{C}\p{Z}"]+/gu, ' ')]
    .slice(0, charactersMax)
    .join('')
    .trim()

const shareOf = (some: readonly string[], all: readonly unknown[]): string =>
  all.length === 1
    ? `${list(some)}, the only region read`
    : `${some.length} of ${all.length} regions`

const refusedIn = (blocked: readonly string[]): string =>
  blocked.length === 0 ? '' : `; it refused our probes in ${list(blocked)}`

/** What most regions saw; of as many, the first by the alphabet. */
const reasonOf = (fresh: readonly RegionView[]): string =>
  mostOf(fresh.map(({ reading }) => reading?.reason ?? 'it did not answer as it should'))

const mostOf = (reasons: readonly string[]): string => {
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const [most] = [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  return quotable(most?.[0] ?? '', reasonCharactersMax)
}

/** `, measured 2026-11-20 12:00 UTC from this machine`; nothing where nothing was. */
export const whenAndWhere = ({
  measuredAt,
  vantage,
}: Pick<Evidence, 'measuredAt' | 'vantage'>): string => {
  if (measuredAt === null) return ''
  return `, measured ${minuteOf(measuredAt)}${vantage === 'local' ? ' from this machine' : ''}`
}

/** `2026-11-20 12:00 UTC` */
export const minuteOf = (instant: string): string =>
  `${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`

/** `a, b and c` */
export const list = (items: readonly string[], last = 'and'): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} ${last} ${items.at(-1)}`
