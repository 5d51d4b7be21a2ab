import type { PublicPageDocument } from '@probe-mesh/contracts/status-page/public-page'
import type { IncidentStatus } from '@probe-mesh/contracts/incident/incident'
import type { ComponentState } from '@probe-mesh/contracts/status-page/status-page'
import type { Wording } from '../../html/components/tag.ts'

export const componentWords: Readonly<Record<ComponentState, Wording>> = {
  operational: { tone: 'good', text: 'operational' },
  degraded: { tone: 'uncertain', text: 'degraded' },
  down: { tone: 'bad', text: 'down' },
  maintenance: { tone: 'uncertain', text: 'maintenance' },
  no_data: { tone: 'silent', text: 'no data' },
}

export const incidentWords: Readonly<Record<IncidentStatus, Wording>> = {
  investigating: { tone: 'bad', text: 'investigating' },
  identified: { tone: 'bad', text: 'identified' },
  monitoring: { tone: 'uncertain', text: 'monitoring' },
  resolved: { tone: 'good', text: 'resolved' },
}

const worstFirst = ['down', 'degraded', 'maintenance', 'no_data', 'operational'] as const

const said: Readonly<Record<ComponentState, (are: string) => string>> = {
  down: (are) => `${are} down`,
  degraded: (are) => `${are} degraded`,
  maintenance: (are) => `${are} under maintenance`,
  no_data: (are) => `${are} without data`,
  operational: (are) => `${are} operational`,
}

/** One sentence about a page as a whole; no data is never healthy (S-1708). */
export const stateSentence = ({
  page,
  components,
}: Pick<PublicPageDocument, 'page' | 'components'>): Wording => {
  const { tone } = componentWords[page.state]
  const total = components.length
  if (total === 0) return { tone, text: 'Nothing is published here yet: there is no data.' }
  const counts = worstFirst
    .map((state) => ({ state, count: components.filter((each) => each.state === state).length }))
    .filter(({ count }) => count > 0)
  const [worst, ...others] = counts
  if (worst === undefined || others.length > 0) {
    const parts = counts.map(({ state, count }) => said[state](`${count} ${areOrIs(count)}`))
    return { tone, text: `Of ${total} components, ${listOf(parts)}.` }
  }
  const who = total === 1 ? 'The one component is' : `All ${total} components are`
  return { tone, text: `${said[worst.state](who)}.` }
}

const areOrIs = (count: number): string => (count === 1 ? 'is' : 'are')

const listOf = (parts: readonly string[]): string =>
  `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`
