import type { Evidence } from '@probe-mesh/contracts/outage/answers'
import type { GradedProbe, ProbeGrade } from '@probe-mesh/contracts/outage/catalog-grade'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { ProbeReading, RegionView } from './region-reading.ts'
import { withVantage, list, mostCommon, noSign, quotable, whenMeasured, minuteOf } from './sentence.ts'
import { gradeShownIn, serviceStatus, probedAddress, shownIn, type Shown } from './service-status.ts'

/**
 * "GitHub is up in 4 of 4 regions, measured 2026-11-20 12:00 UTC.": text that can be quoted. It claims no more
 * than the probes show: of an address that answers it says "No sign of an outage", and then once that this does
 * not prove that the service works. If all regions are one machine, they have one vote and are not counted.
 * @param region the requested region, or null for all
 * @param probes the probes of the service, in the catalog's order
 */
export const statusSummary = (
  name: string,
  region: Region | null,
  views: readonly RegionView[],
  evidence: Pick<Evidence, 'measuredAt' | 'vantage'>,
  probes: readonly GradedProbe[],
): string => {
  const isLocal = evidence.vantage === 'local'
  const status = serviceStatus(views)
  const clause =
    status === 'no_data'
      ? noDataClause(name, region, views, evidence)
      : `${isLocal ? localClause(name, views, probes) : statusClause(name, views, probes)}${whenMeasured(evidence)}`
  return withVantage(evidence, `${clause}.${status === 'up' ? limitOf(name, views, probes) : ''}`)
}

/** What a good answer does not show; empty if the probes show that the service works. */
const limitOf = (name: string, views: readonly RegionView[], probes: readonly GradedProbe[]): string => {
  const grade = gradeShownIn(views, probes)
  return {
    works: '',
    answers: ` That does not show that all of ${name} works.`,
    edge: ` That says little about whether ${name} works.`,
  }[grade ?? 'edge']
}

const statusClause = (name: string, views: readonly RegionView[], probes: readonly GradedProbe[]): string => {
  const fresh = views.filter((view) => view.fresh)
  const codes = (status: RegionView['status']): string[] => codesOf(fresh, status)
  const [up, down, blocked] = [codes('up'), codes('down'), codes('blocked')]
  const unread = unreadIn(views)
  const status = serviceStatus(views)
  switch (status) {
    case 'up': {
      const where = ` in ${shareOf(up, fresh)}`
      const isChecking = views.some(({ checkingNetwork }) => checkingNetwork)
      const text = upClause(name, where, shownIn(fresh, probes), isChecking)
      return `${text}${refusedIn(blocked)}${unread}`
    }
    case 'down':
      return `${name} is down in ${shareOf(down, fresh)}: ${reasonOf(fresh)}${probedAt(fresh, probes)}${unread}`
    case 'down_in_some_regions': {
      const word = someUpWords[gradeShownIn(fresh, probes) ?? 'edge']
      const upText = up.length > 0 ? `; it ${word} in ${list(up)}` : ''
      const why = regionalReason(fresh, down)
      // all failed but not at the same time: either the outage spreads or it moves between regions
      const [verb, retried] =
        down.length === fresh.length && down.length > 1
          ? ['failed', ' and is being retried']
          : ['is down', '']
      return `${name} ${verb} in ${shareOf(down, fresh)} (${list(down)})${retried}: ${why}${upText}${refusedIn(blocked)}${unread}`
    }
    case 'blocked':
      return `${name} refused our probes in ${shareOf(blocked, fresh)}, so we cannot say whether it is up or down${unread}`
    case 'no_data':
      return `${name} is not measured`
    default:
      return status satisfies never
  }
}

/** The clause if all regions are one machine. */
const localClause = (name: string, views: readonly RegionView[], probes: readonly GradedProbe[]): string => {
  const fresh = views.filter((view) => view.fresh)
  const status = serviceStatus(views)
  switch (status) {
    case 'up':
      return upClause(name, '', shownIn(fresh, probes))
    case 'down':
      return `${name} is down: ${reasonOf(fresh)}${probedAt(fresh, probes)}`
    case 'down_in_some_regions': {
      const failed = codesOf(fresh, 'down').length
      return `${name} failed in ${failed} of the ${fresh.length} newest measurements: ${reasonOf(fresh)}${probedAt(fresh, probes)}`
    }
    case 'blocked':
      return `${name} refused our probes, so we cannot say whether it is up or down`
    case 'no_data':
      return `${name} is not measured`
    default:
      return status satisfies never
  }
}

const codesOf = (views: readonly RegionView[], status: RegionView['status']): Region[] =>
  views.flatMap((view) => (view.status === status ? [view.region] : []))

const someUpWords: Readonly<Record<ProbeGrade, string>> = {
  works: 'is up',
  answers: 'answers',
  edge: 'serves a file',
}

/** @param isChecking a region got no answer, which is a sign, if only of our own network */
const upClause = (name: string, where: string, { grade, addresses }: Shown, isChecking = false): string => {
  if (grade === 'works') return `${name} is up${where}`
  const isOne = addresses.length === 1
  const verb = grade === 'answers' ? (isOne ? 'answers' : 'answer') : isOne ? 'is served' : 'are served'
  return `${isChecking ? '' : `${noSign}: `}${list(addresses)} ${verb}${where}`
}

/** The addresses of the failing probes. */
const probedAt = (fresh: readonly RegionView[], probes: readonly GradedProbe[]): string => {
  const failing = fresh.flatMap(({ status, reading }) =>
    status === 'down' ? (probes[reading?.probe ?? 0] ?? []) : [],
  )
  const addresses = [...new Set(failing.map(probedAddress))]
  return addresses.length === 0 ? '' : ` (probed ${list(addresses)})`
}

/**
 * The sentence for a service outside the catalog. It never guesses.
 * @param query as the visitor typed it
 */
export const notCoveredSummary = (query: string, didYouMean: readonly string[]): string => {
  const name = quotable(query)
  const subject = name === '' ? 'That service' : `"${name}"`
  const end = didYouMean.length === 0 ? '.' : `; did you mean ${list(didYouMean, 'or')}?`
  return `${subject} is not in our catalog, so we do not measure it and cannot say whether it is up or down${end}`
}

const shareOf = (some: readonly string[], all: readonly unknown[]): string =>
  all.length === 1 ? `${list(some)}, the only region read` : `${some.length} of ${all.length} regions`

const refusedIn = (blocked: readonly string[]): string =>
  blocked.length === 0 ? '' : `; it refused our probes in ${list(blocked)}`

/** The regions that the counts leave out. */
const unreadIn = (views: readonly RegionView[]): string => {
  const left = views.filter(({ fresh }) => !fresh)
  const clause = (isChecking: boolean, textOf: (regions: string) => string): string => {
    const own = left.flatMap(({ checkingNetwork, region }) =>
      checkingNetwork === isChecking ? [region] : [],
    )
    return own.length === 0 ? '' : textOf(list(own))
  }
  return `${clause(true, (them) => `; no answer from ${them}, which may be our own network`)}${clause(false, (them) => `; ${them} not read`)}`
}

/** If only some regions get no answer, the text says so: their own networks may be at fault. */
const regionalReason = (fresh: readonly RegionView[], down: readonly Region[]): string => {
  const failing = fresh.filter(({ status }) => status === 'down')
  const isSilent = failing.every(({ reading }) => reading !== null && gaveNoAnswer(reading))
  const reason = reasonOf(fresh)
  const isUpElsewhere = fresh.some(({ status }) => status === 'up')
  return isSilent && isUpElsewhere ? `no answer from ${list(down)} only, ${reason}` : reason
}

/** A wrong certificate or a name that does not exist is an answer, though not from the service. */
const gaveNoAnswer = ({ unanswered = false, cause = '' }: ProbeReading): boolean =>
  unanswered && !/^(certificate_|dns_no)/.test(cause)

const reasonOf = (fresh: readonly RegionView[]): string =>
  mostCommon(
    fresh.flatMap(({ status, reading }) => (status === 'down' ? [reading?.reason ?? null] : [])),
    'the answer was wrong',
  )

const cannotSay = 'so we cannot say whether it is up or down'

/**
 * Why the status of a service is unknown. Inconclusive measurements come before missing ones.
 * @param region the requested region, or null for all
 */
const noDataClause = (
  name: string,
  region: Region | null,
  views: readonly RegionView[],
  evidence: Pick<Evidence, 'measuredAt' | 'vantage'>,
): string => {
  const from = region === null ? '' : ` from ${region}`
  const ownNetwork = views.filter((view) => view.ownNetworkSuspected)
  const checking = views.filter((view) => view.checkingNetwork && !view.quarantined)
  const unconfirmed = views.filter(({ inconclusive }) => inconclusive?.why === 'unconfirmed')
  const unproven = views.filter(({ inconclusive }) => inconclusive?.why === 'unproven')
  const unmeasured = views.filter(({ inconclusive }) => inconclusive?.why === 'unmeasured')
  const quarantined = views.filter((view) => view.quarantined)
  if (ownNetwork.length > 0) {
    const reason = mostCommon(ownNetwork.map(({ reading }) => reading?.reason ?? null))
    return `${name} does not answer (${reason}), like many unrelated services: the network of this machine may be at fault, so we cannot say whether ${name} is up or down${whenMeasured(evidence)}`
  }
  const among = (some: readonly RegionView[]): string =>
    evidence.vantage === 'local' ? '' : ` from ${list(some.map((view) => view.region))}`
  if (checking.length > 0) {
    const reason = mostCommon(checking.map(({ reading }) => reading?.reason ?? null))
    return `${name} does not answer${among(checking)} (${reason}), and we are checking whether our own network is at fault, ${cannotSay}${whenMeasured(evidence)}`
  }
  if (unconfirmed.length > 0) {
    const reason = mostCommon(unconfirmed.map(({ inconclusive }) => inconclusive?.reason ?? null))
    return `${name} failed${among(unconfirmed)} (${reason}) and is being retried, ${cannotSay}${whenMeasured(evidence)}`
  }
  if (unproven.length > 0) {
    const reason = mostCommon(unproven.map(({ inconclusive }) => inconclusive?.reason ?? null))
    const where =
      evidence.vantage === 'local'
        ? ''
        : views.length === 1
          ? ` from ${unproven[0]?.region}`
          : ` in ${unproven.length} of ${views.length} regions`
    return `${name} fails${where} (${reason}), but it has never worked from ${evidence.vantage === 'local' ? 'here' : 'there'}, ${cannotSay}${whenMeasured(evidence)}`
  }
  if (views.some(({ changed }) => changed)) {
    return `The measured page of ${name}${region === null ? '' : `, seen from ${region},`} changed, ${cannotSay}${lastOf(evidence)}`
  }
  if (unmeasured.length > 0) {
    const reason = mostCommon(unmeasured.map(({ inconclusive }) => inconclusive?.reason ?? null))
    return `Our probes could not measure ${name}${from} (${reason}), ${cannotSay}${lastOf(evidence)}`
  }
  if (quarantined.length > 0) {
    const own =
      quarantined.length === 1 ? 'the network of that region fails' : 'the networks of those regions fail'
    const others = views.filter((view) => !view.quarantined)
    const rest = others.length === 0 ? '' : `, and there is no recent reading${among(others)}`
    const regions = list(quarantined.map((view) => view.region))
    return `Readings of ${name} from ${regions} do not count because ${own}${rest}, ${cannotSay}`
  }
  return `We have no recent measurement of ${name}${from}, ${cannotSay}${lastOf(evidence)}`
}

const lastOf = ({ measuredAt }: Pick<Evidence, 'measuredAt'>): string =>
  measuredAt === null ? '' : `; the last measurement was at ${minuteOf(measuredAt)}`
