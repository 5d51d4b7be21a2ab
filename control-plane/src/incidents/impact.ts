import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import { IncidentImpact, type Incident } from '@probe-mesh/contracts/incident/incident'

/** The effective impact: a person's choice, else the measured one. */
export const impactOf = ({
  postedImpact,
  measuredImpact,
  source,
}: Pick<Incident, 'source'> & {
  postedImpact: IncidentImpact | null
  measuredImpact: IncidentImpact | null
}): IncidentImpact => postedImpact ?? measuredImpact ?? (source === 'automatic' ? 'major' : 'minor')

/** The worse of two impacts; null is no impact. */
export const worseImpact = (a: IncidentImpact | null, b: IncidentImpact): IncidentImpact =>
  a !== null && rankOf(a) > rankOf(b) ? a : b

const rankOf = (impact: IncidentImpact): number => IncidentImpact.options.indexOf(impact)

/**
 * The impact of an outage: `critical` when every component of the page is down, else `major`.
 * @param downIds the checks of the incident that are down
 * @param publishedIds the checks that the page publishes
 */
export const impactOfOutage = (downIds: readonly string[], publishedIds: readonly string[]): IncidentImpact =>
  publishedIds.length > 0 && publishedIds.every((id) => downIds.includes(id)) ? 'critical' : 'major'

/**
 * The impact of an incident that a person opens without one: that of an outage while its check is down, else
 * `minor`, since the person sees what probes do not.
 * @param published the checks that the page publishes
 */
export const impactAtOpening = (
  check: { id: string; status: CheckStatus },
  published: readonly { id: string; status: CheckStatus }[],
): IncidentImpact => {
  if (check.status !== 'down') return 'minor'
  const downIds = [check, ...published].filter(({ status }) => status === 'down').map(({ id }) => id)
  return impactOfOutage(
    downIds,
    published.map(({ id }) => id),
  )
}
