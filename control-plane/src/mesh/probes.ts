import { probePageUrl, probeProduct, probeUserAgent } from '@probe-mesh/contracts/agent/probe-identity'
import { probesRoute, type Probes, type RegionProbes } from '@probe-mesh/contracts/agent/probes'
import { stateOfAgent, type RegionSightings, type SeenAgent } from './sightings.ts'
import type { FastifyInstance } from 'fastify'
import { bindPreflight } from '../http/any-origin.ts'
import { sendDocument } from '../http/public-document.ts'

const robots =
  'Checks do not read robots.txt. It is for crawlers, which discover pages. A check requests only the URL that an account configured, at the interval that the account configured, within the limit above.'

/**
 * Which agents probe, and from which addresses. An address that was not configured is unknown and is not
 * guessed: operators of firewalls must be able to rely on this list.
 */
export const describeProbes = (
  seen: readonly RegionSightings[],
  facts: {
    publicUrl: string
    contactUrl: string | null
    vantage: Probes['vantage']
    targetRequestsPerMinute: number
  },
  nowMs: number,
): Probes => {
  const pageUrl = probePageUrl(facts.publicUrl)
  const regions = seen.map((region) => describeRegion(region, pageUrl, nowMs))
  const { contactUrl } = facts
  return {
    asOf: new Date(nowMs).toISOString(),
    product: probeProduct,
    url: `${facts.publicUrl}/probes`,
    contact: contactUrl,
    vantage: facts.vantage,
    requestsPerHostAndMinuteMax: facts.targetRequestsPerMinute,
    robots,
    optOut: `${
      contactUrl === null
        ? 'The operator of this mesh has published no contact. Ask the operator in another way'
        : `Write to ${contactUrl.replace(/^mailto:/, '')}`
    } and name the host or the addresses: checks of them are then refused and no agent connects to them (BLOCKED_TARGETS). Or refuse requests whose User-Agent begins with ${probeProduct}.`,
    summary: summaryOf(regions),
    regions,
  }
}

const describeRegion = (seen: RegionSightings, pageUrl: string | null, nowMs: number): RegionProbes => {
  const agents = [...seen.agents.values()].filter((agent) => stateOfAgent(seen, agent, nowMs) !== 'gone')
  const announced = agents.filter(({ addresses }) => addresses.length > 0)
  return {
    region: seen.region,
    agents: agents.length,
    userAgents: sorted(agents, ({ version }) => [probeUserAgent(version, pageUrl)]),
    addresses: sorted(announced, ({ addresses }) => addresses),
    addressesKnown: announced.length === 0 ? 'none' : announced.length === agents.length ? 'all' : 'some',
  }
}

const sorted = (agents: readonly SeenAgent[], textsOf: (agent: SeenAgent) => readonly string[]): string[] =>
  [...new Set(agents.flatMap(textsOf))].toSorted()

const summaryOf = (regions: readonly RegionProbes[]): string => {
  const whole = regions.filter(({ addressesKnown }) => addressesKnown === 'all').length
  const known = `All addresses of ${whole} of ${regions.length} regions are known`
  return whole === regions.length
    ? `${known}.`
    : `${known}; the other regions have agents without configured addresses (PUBLIC_ADDRESSES).`
}

/** Agents change within minutes; firewalls that use this list fetch it about every hour. */
const form = { type: 'application/json; charset=utf-8', maxAgeSeconds: 300 }

/** `/probes.json`: no key, any origin, no query to a database. */
export const bindProbes = (app: FastifyInstance, probes: () => Probes): void => {
  app.get(probesRoute.path, (request, reply) =>
    sendDocument(request, reply, form, JSON.stringify(probes(), null, 2)),
  )
  bindPreflight(app, probesRoute.path)
}
