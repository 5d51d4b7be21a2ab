import type { Evidence } from '@probe-mesh/contracts/answers'
import type { Region } from '@probe-mesh/contracts/regions'
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
  const unproven = views.filter(({ undecided }) => undecided?.why === 'unproven')
  const unmeasured = views.filter(({ undecided }) => undecided?.why === 'unmeasured')
  const quarantined = views.filter((view) => view.quarantined)
  if (doubted.length > 0) {
    const reason = mostOf(doubted.map(({ reading }) => reading?.reason ?? null))
    return `${name} gives no answer (${reason}), and neither do many services that have nothing to do with it, so the network of this machine may be at fault and we cannot say whether ${name} is up or down${whenMeasured(evidence)}`
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
  if (quarantined.length > 0 && quarantined.length === views.length) {
    const own = quarantined.length === 1 ? 'its own network fails' : 'their own networks fail'
    const regions = list(quarantined.map((view) => view.region))
    return `What we measure of ${name} from ${regions} does not count, since ${own}, ${cannotSay}`
  }
  return `We have no recent measurement of ${name}${from}, ${cannotSay}${lastOf(evidence)}`
}

const lastOf = ({ measuredAt }: Pick<Evidence, 'measuredAt'>): string =>
  measuredAt === null ? '' : `; the last measurement was at ${minuteOf(measuredAt)}`
