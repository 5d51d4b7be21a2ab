import type { InternetAnswer, SharedIncident } from '@probe-mesh/contracts/answers'
import type { GradedProbe } from '@probe-mesh/contracts/catalog-grade'
import type { OpenIncident } from './open-incident.ts'
import type { ObservedService } from './shared-factors.ts'
import { leadingIncident } from './shared-incident.ts'
import type { SharedState } from './shared-incident.ts'
import { list } from './status-summary.ts'

/**
 * `none` needs this share of the catalog to be measured: a few good services are not the internet.
 */
const knownShareMin = 0.5

/**
 * Whether a shared incident is under way, and the sentence that says so. "A cold start is
 * `no_data`": that there is none is said only when half of the catalog has a standing.
 * @param probesOf what is asked of a service
 */
export const describeInternet = (
  state: SharedState,
  services: readonly ObservedService[],
  probesOf: (slug: string) => readonly GradedProbe[] = () => [],
): Pick<InternetAnswer, 'status' | 'sharedIncident' | 'summary'> => {
  const incident = leadingIncident(state)
  if (incident !== null) {
    const sharedIncident = describeIncident(incident, probesOf)
    return { status: 'incident', sharedIncident, summary: incidentSummary(sharedIncident) }
  }
  const known = services.filter(({ standing }) => standing !== 'unknown').length
  if (known === 0 || known < services.length * knownShareMin) {
    return {
      status: 'no_data',
      sharedIncident: null,
      summary: `We measure too few services now (${known} of ${services.length}) to say whether a shared part of the internet is down.`,
    }
  }
  return {
    status: 'none',
    sharedIncident: null,
    summary: `No outage of a shared CDN, cloud region or DNS provider shows in the ${known} services measured now.`,
  }
}

const describeIncident = (
  incident: OpenIncident,
  probesOf: (slug: string) => readonly GradedProbe[],
): SharedIncident => ({
  factor: incident.factor,
  members: incident.members.map(({ slug, name, sinceMs }) => ({
    slug,
    name,
    since: new Date(sinceMs).toISOString(),
    probes: [...probesOf(slug)],
  })),
  measuredCount: incident.measuredCount,
  regions: [...incident.regions],
  since: new Date(incident.sinceMs).toISOString(),
  confidence: incident.confidence,
})

const kinds = { cdn: 'CDN', cloud_region: 'cloud region', dns: 'DNS provider' } as const
const namedMembersMax = 5

const incidentSummary = ({ factor, members, measuredCount, since }: SharedIncident): string => {
  const named = members.slice(0, namedMembersMax).map(({ name }) => name)
  const more = members.length - named.length
  const names = list(more > 0 ? [...named, `${more} more`] : named)
  const at = `${since.slice(0, 10)} ${since.slice(11, 16)} UTC`
  return `An outage shared by services on the ${kinds[factor.kind]} ${factor.name} seems to be under way since ${at}: ${members.length} of ${measuredCount} measured there failed (${names}).`
}
