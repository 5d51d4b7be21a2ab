import type { Evidence } from '@probe-mesh/contracts/outage/answers'
import type { InternetAnswer, SharedIncident, VendorOutage } from '@probe-mesh/contracts/outage/internet'
import { evidenceOf, basisOf, namedProbes } from '../evidence.ts'
import { readOptions, type AnswersContext } from './context.ts'
import { viewCatalog } from './plates.ts'
import type { GradedProbe } from '@probe-mesh/contracts/outage/catalog-grade'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { OpenIncident } from '../open-incident.ts'
import { withVantage, list, minuteOf } from '../sentence.ts'
import { groupByFactor, strongestVendor, type ObservedService } from '../shared-factors.ts'
import { leadingIncident, type SharedState } from '../shared-incident.ts'

/** Whether infrastructure that many services share is failing (S-1404). */
export const isTheInternetDown = (context: AnswersContext): InternetAnswer => {
  const options = readOptions(context)
  const { catalog, observed, publicUrl } = context
  const described = describeInternet(
    observed.shared(),
    observed.services(),
    options.vantage,
    (slug) => catalog.probes.get(slug) ?? [],
  )
  const { sharedIncident, vendorOutage } = described
  const evidence = [...(sharedIncident?.members ?? []), ...(vendorOutage?.members ?? [])]
  const named = evidence.flatMap(({ probes }) => probes)
  return {
    ...described,
    ...evidenceOf(basisOf(viewCatalog(context, options)), options),
    ...namedProbes([...catalog.probes.values()].flat(), named),
    url: `${publicUrl}/internet`,
  }
}

/** `none` requires measurements of this share of the catalog: a few healthy services are not the internet. */
const knownShareMin = 0.5

/**
 * Describes the leading shared incident. `none` is only answered if the health of half of the catalog is
 * known, and with the number of failing services; a cold start is `no_data`.
 * @param probesOf the probes of a service
 */
export const describeInternet = (
  state: SharedState,
  services: readonly ObservedService[],
  vantage: Evidence['vantage'],
  probesOf: (slug: string) => readonly GradedProbe[] = () => [],
): Pick<InternetAnswer, 'status' | 'sharedIncident' | 'vendorOutage' | 'summary'> => {
  const vendorOutage = describeVendor(state, services, probesOf)
  const incident = leadingIncident(state)
  if (incident !== null) {
    const sharedIncident = describeIncident(incident, probesOf)
    const everywhere = services.every(({ failures, upIn }) =>
      [...failures.map(({ region }) => region), ...upIn].every((region) => incident.regions.includes(region)),
    )
    const summary = withVantage(
      { vantage },
      incidentSummary(
        sharedIncident,
        incident.region ?? null,
        everywhere && vantage !== 'local',
        sharedPart(sharedIncident.members, services),
      ),
    )
    return { status: 'incident', sharedIncident, vendorOutage, summary }
  }
  const known = services.filter(({ health }) => health !== 'unknown')
  const unreachable = unreachableSummary(
    services.filter((service) => service.ownNetworkSuspected === true).length,
  )
  if (known.length === 0 || known.length < services.length * knownShareMin) {
    return {
      status: 'no_data',
      sharedIncident: null,
      vendorOutage,
      summary: withVantage(
        { vantage },
        `Too few services can be judged now (${known.length} of ${services.length}) to say whether a shared part of the internet is down${unreachable}.`,
      ),
    }
  }
  return {
    status: 'none',
    sharedIncident: null,
    vendorOutage,
    summary: withVantage({ vantage }, noneSummary(known, vendorOutage, unreachable)),
  }
}

const noneSummary = (
  known: readonly ObservedService[],
  vendorOutage: VendorOutage | null,
  unreachable: string,
): string => {
  const failing = known.filter(({ health }) => health === 'failing').length
  const own = vendorOutage === null ? '' : `; ${vendorSummary(vendorOutage)}`
  return `No outage of a shared CDN, cloud region or DNS provider is visible in the ${known.length} services measured now; ${failing} ${failing === 1 ? 'is' : 'are'} down${own}${unreachable}.`
}

const unreachableSummary = (count: number): string =>
  count === 0
    ? ''
    : `; ${count} more ${count === 1 ? 'does' : 'do'} not answer, and the network of this machine may be at fault`

const vendorSummary = ({ vendor, members, measuredCount, since }: VendorOutage): string =>
  `${members.length} of ${measuredCount} services of ${vendor} have failed together since ${minuteOf(since)} (${namesOf(members)})`

/** The strongest vendor outage among services that no shared incident explains. */
const describeVendor = (
  { open }: SharedState,
  services: readonly ObservedService[],
  probesOf: (slug: string) => readonly GradedProbe[],
): VendorOutage | null => {
  const explained = new Set(open.flatMap(({ members }) => members.map(({ slug }) => slug)))
  const found = strongestVendor(services.filter(({ slug }) => !explained.has(slug)))
  if (found === null) return null
  const sinceOf = ({ sinceMs }: ObservedService): number => sinceMs ?? Infinity
  return {
    vendor: found.vendor,
    members: found.members
      .toSorted((a, b) => (a.slug < b.slug ? -1 : 1))
      .map((member) => memberOf({ ...member, sinceMs: sinceOf(member) }, probesOf)),
    measuredCount: found.measuredCount,
    regions: [...new Set(found.members.flatMap(({ regions }) => regions))].toSorted(),
    since: new Date(Math.min(...found.members.map(sinceOf))).toISOString(),
  }
}

const describeIncident = (
  incident: OpenIncident,
  probesOf: (slug: string) => readonly GradedProbe[],
): SharedIncident => ({
  factor: incident.factor,
  members: incident.members.map((member) => memberOf(member, probesOf)),
  measuredCount: incident.measuredCount,
  regions: [...incident.regions],
  since: new Date(incident.sinceMs).toISOString(),
  confidence: incident.confidence,
})

const memberOf = (
  { slug, name, sinceMs }: { slug: string; name: string; sinceMs: number },
  probesOf: (slug: string) => readonly GradedProbe[],
): SharedIncident['members'][number] => ({
  slug,
  name,
  since: new Date(sinceMs).toISOString(),
  probes: [...probesOf(slug)],
})

const kinds = { cdn: 'CDN', cloud_region: 'cloud region', dns: 'DNS provider', unknown: 'part' } as const
const namedMembersMax = 5

const namesOf = (members: readonly { name: string }[]): string => {
  const named = members.slice(0, namedMembersMax).map(({ name }) => name)
  const more = members.length - named.length
  return list(more > 0 ? [...named, `${more} more`] : named)
}

type SharedPart = SharedIncident['factor'] & { count: number; others: number }

/** What this share of the failed services has in common may be the cause. */
const sharedShareMin = 0.9
/** With at most this share of services without it, an outage of it looks like one of everything. */
const othersShareMax = 0.1

/** What nearly all failed and nearly all measured services use; null if there is none. `others` do not use it. */
const sharedPart = (
  members: SharedIncident['members'],
  services: readonly ObservedService[],
): SharedPart | null => {
  const slugs = new Set(members.map(({ slug }) => slug))
  const known = services.filter(({ health }) => health !== 'unknown')
  return (
    groupByFactor(known)
      .map(({ factor, services: users }) => ({
        ...factor,
        count: users.filter(({ slug }) => slugs.has(slug)).length,
        others: known.length - users.length,
      }))
      .filter(
        ({ count, others }) =>
          count >= sharedShareMin * slugs.size && others <= othersShareMax * known.length,
      )
      .toSorted((one, other) => other.count - one.count)[0] ?? null
  )
}

const incidentSummary = (
  { factor, members, measuredCount, since }: SharedIncident,
  region: Region | null,
  everywhere: boolean,
  shared: SharedPart | null,
): string => {
  const at = minuteOf(since)
  if (factor.kind === 'unknown') {
    const where = everywhere ? ' from every region' : ''
    const failed = `${members.length} of ${measuredCount} services have failed${where} since ${at}`
    return shared === null
      ? `${failed}, more than any shared CDN, cloud region or DNS provider explains.`
      : `${failed}. ${shared.count} of them use the ${kinds[shared.kind]} ${shared.name}; too few measured services (${shared.others}) do not use it to show that it is the cause.`
  }
  const there = region === null ? '' : ` in ${region} only`
  return `A shared outage of services on the ${kinds[factor.kind]} ${factor.name} seems to be under way${there} since ${at}: ${members.length} of ${measuredCount} measured services failed (${namesOf(members)}).`
}
