import type { Outage } from '@probe-mesh/contracts/overview/outage-log'
import { regionName } from '../html/components/region-name.ts'
import type { Wording } from '../html/components/tag.ts'

/** An `unmeasured` outage is open: no reading shows that it is over. */
export const outageWords: Readonly<Record<Outage['status'], Wording>> = {
  down: { tone: 'bad', text: 'Down' },
  unmeasured: { tone: 'silent', text: 'Down, now unmeasured' },
  ended: { tone: 'good', text: 'Ended' },
}

/** `fra, nrt`; a heartbeat has no region. */
export const regionsText = ({ regions }: Pick<Outage, 'regions'>): string =>
  regions.length === 0 ? 'no region' : regions.map(regionName).join(', ')
