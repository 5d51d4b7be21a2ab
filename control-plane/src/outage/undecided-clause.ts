import type { Evidence } from '@probe-mesh/contracts/outage/answers'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { RegionView } from './region-reading.ts'
import { list, minuteOf, mostOf, whenMeasured } from './sentence.ts'

const cannotSay = 'so we cannot say whether it is up or down'

/**
 * Why it cannot be said whether a service is up: what was measured and does not decide, before that
 * nothing was.
 * @param region the one that was asked for, or null for all of them
 */
export const undecidedClause = (
  name: string,
  region: Region | null,
  views: readonly RegionView[],
  evidence: Pick<Evidence, 'measuredAt' | 'vantage'>,
): string => {
  const from = region === null ? '' : ` from ${region}`
  const doubted = views.filter((view) => view.doubted)
  const weighed = views.filter((view) => view.weighed && !view.quarantined)
  const suspect = views.filter(({ undecided }) => undecided?.why === 'suspect')
  const unproven = views.filter(({ undecided }) => undecided?.why === 'unproven')
  const unmeasured = views.filter(({ undecided }) => undecided?.why === 'unmeasured')
  const quarantined = views.filter((view) => view.quarantined)
  if (doubted.length > 0) {
    const reason = mostOf(doubted.map(({ reading }) => reading?.reason ?? null))
    return `${name} gives no answer (${reason}), and neither do many services that have nothing to do with it, so the network of this machine may be at fault and we cannot say whether ${name} is up or down${whenMeasured(evidence)}`
  }
  const among = (some: readonly RegionView[]): string =>
    evidence.vantage === 'local' ? '' : ` from ${list(some.map((view) => view.region))}`
  if (weighed.length > 0) {
    const reason = mostOf(weighed.map(({ reading }) => reading?.reason ?? null))
    return `${name} gives no answer${among(weighed)} (${reason}), which may be our own network and is being weighed, ${cannotSay}${whenMeasured(evidence)}`
  }
  if (suspect.length > 0) {
    const reason = mostOf(suspect.map(({ undecided }) => undecided?.reason ?? null))
    return `${name} failed${among(suspect)} (${reason}) and is being asked again, ${cannotSay}${whenMeasured(evidence)}`
  }
  if (unproven.length > 0) {
    const reason = mostOf(unproven.map(({ undecided }) => undecided?.reason ?? null))
    const where =
      evidence.vantage === 'local'
        ? ''
        : views.length === 1
          ? ` from ${unproven[0]?.region}`
          : ` in ${unproven.length} of ${views.length} regions`
    return `${name} fails${where} (${reason}), but it was never seen to work from ${evidence.vantage === 'local' ? 'here' : 'there'}, ${cannotSay}${whenMeasured(evidence)}`
  }
  if (views.some(({ changed }) => changed)) {
    return `The page of ${name} that we measure${from} changed, ${cannotSay}${lastOf(evidence)}`
  }
  if (unmeasured.length > 0) {
    const reason = mostOf(unmeasured.map(({ undecided }) => undecided?.reason ?? null))
    return `Our own probes could not measure ${name}${from} (${reason}), ${cannotSay}${lastOf(evidence)}`
  }
  if (quarantined.length > 0) {
    const own = quarantined.length === 1 ? 'its own network fails' : 'their own networks fail'
    const others = views.filter((view) => !view.quarantined)
    const rest = others.length === 0 ? '' : `, and nothing recent came${among(others)}`
    const regions = list(quarantined.map((view) => view.region))
    return `What we measure of ${name} from ${regions} does not count, since ${own}${rest}, ${cannotSay}`
  }
  return `We have no recent measurement of ${name}${from}, ${cannotSay}${lastOf(evidence)}`
}

const lastOf = ({ measuredAt }: Pick<Evidence, 'measuredAt'>): string =>
  measuredAt === null ? '' : `; the last measurement was at ${minuteOf(measuredAt)}`
