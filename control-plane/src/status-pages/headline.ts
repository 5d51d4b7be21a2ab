import { type IncidentImpact, type Incident } from '@probe-mesh/contracts/incident/incident'
import { HeadlineLevel, type PublicHeadline } from '@probe-mesh/contracts/status-page/headline'
import type { ComponentState, StatusPageState } from '@probe-mesh/contracts/status-page/status-page'
import { headlineText } from '@probe-mesh/contracts/status-page/words/headline-text'
import { wordsOf } from '@probe-mesh/contracts/status-page/words/words-of'

/** An open incident, as far as it decides. */
export type OpenIncident = Pick<Incident, 'id' | 'title' | 'source'> & {
  impact: IncidentImpact
  /** The published components that it affects. */
  componentIds: readonly string[]
}

/** The facts about a page at one instant. */
export type PageFacts = {
  components: readonly { id: string; displayName: string; state: ComponentState }[]
  incidents: readonly OpenIncident[]
  /** Whether a window covers the whole page. */
  isCovered: boolean
}

type Decision = { level: HeadlineLevel; incident: OpenIncident | null; componentIds: string[] }

/**
 * The headline of a page: the worst of its components, its open incidents and its maintenance (S-1714).
 * - A posted incident decides if it is at least as bad as the measurements: its text is more specific.
 * - An open incident is never shown below "all operational".
 * - Components without data are counted, and decide where nothing is worse.
 */
export const pageHeadline = (facts: PageFacts, locale: string): PublicHeadline => {
  const { level, incident, componentIds } = decisionOf(facts)
  const words = wordsOf(locale)
  const unmeasured = facts.components.filter(({ state }) => state === 'no_data').length
  const text = headlineText(words, {
    level,
    incidentTitle: incident?.title ?? null,
    names: facts.components.filter(({ id }) => componentIds.includes(id)).map((one) => one.displayName),
    total: facts.components.length,
    unmeasured,
  })
  const incidentId = incident?.id ?? null
  return { level, text, language: words.language, incidentId, componentIds, unmeasured }
}

/** The state of a page for programs: its headline without words (S-1708). */
export const stateOf = (facts: PageFacts): StatusPageState => states[decisionOf(facts).level]

const decisionOf = (facts: PageFacts): Decision => {
  const measured = measuredDecision(facts)
  const [worst] = decisive(facts)
    .map((incident) => ({ incident, level: levels[incident.impact] }))
    .toSorted((a, b) => rankOf(b.level) - rankOf(a.level) || postedFirst(a.incident, b.incident))
  const decides =
    worst !== undefined &&
    (rankOf(worst.level) > rankOf(measured.level) ||
      (worst.level === measured.level && worst.incident.source === 'manual'))
  return decides ? { ...worst, componentIds: [...worst.incident.componentIds] } : measured
}

const states: Readonly<Record<HeadlineLevel, StatusPageState>> = {
  operational: 'operational',
  notice: 'operational',
  no_data: 'no_data',
  maintenance: 'maintenance',
  degraded: 'degraded',
  partial_outage: 'down',
  major_outage: 'down',
}

const levels: Readonly<Record<IncidentImpact, HeadlineLevel>> = {
  none: 'notice',
  minor: 'degraded',
  major: 'partial_outage',
  critical: 'major_outage',
}

const rankOf = (level: HeadlineLevel): number => HeadlineLevel.options.indexOf(level)

const postedFirst = (a: OpenIncident, b: OpenIncident): number =>
  Number(b.source === 'manual') - Number(a.source === 'manual')

/**
 * A measured outage does not count while maintenance covers its components. A person's post always counts.
 */
const decisive = ({ components, incidents, isCovered }: PageFacts): OpenIncident[] =>
  incidents.filter(({ source, componentIds }) => {
    if (source === 'manual') return true
    const affected = components.filter(({ id }) => componentIds.includes(id))
    return !isCovered && affected.some(({ state }) => state !== 'maintenance')
  })

const measuredDecision = ({ components, isCovered }: PageFacts): Decision => {
  const idsIn = (state: ComponentState): string[] =>
    components.filter((component) => component.state === state).map(({ id }) => id)
  const decide = (level: HeadlineLevel, componentIds: string[]): Decision => ({
    level,
    incident: null,
    componentIds,
  })
  if (isCovered) return decide('maintenance', [])
  const [down, degraded, maintenance, silent] = [
    idsIn('down'),
    idsIn('degraded'),
    idsIn('maintenance'),
    idsIn('no_data'),
  ]
  if (down.length > 0)
    return decide(down.length === components.length ? 'major_outage' : 'partial_outage', down)
  if (degraded.length > 0) return decide('degraded', degraded)
  if (maintenance.length > 0) return decide('maintenance', maintenance)
  if (components.length === 0 || silent.length > 0) return decide('no_data', silent)
  return decide('operational', [])
}
