import type { PlateLevel } from '@probe-mesh/contracts/outage/answers'
import { worstLevel } from './plate.ts'

/**
 * A stack from the levels of its members (S-1218, S-1219): its own level is the worst of theirs, so
 * that no data is never healthy, and it reads "N of M services down or degraded" with ", K with no
 * data" and ", B blocked" when there are any.
 */
export const rollUp = (levels: readonly PlateLevel[]): { status: PlateLevel; summary: string } => {
  const count = (level: PlateLevel): number => levels.filter((one) => one === level).length
  const failing = count('down') + count('down_in_some_regions') + count('degraded')
  const [silent, blocked] = [count('no_data'), count('blocked')]
  return {
    status: worstLevel(levels),
    summary: [
      `${failing} of ${levels.length} services down or degraded`,
      ...(silent > 0 ? [`${silent} with no data`] : []),
      ...(blocked > 0 ? [`${blocked} blocked`] : []),
    ].join(', '),
  }
}
