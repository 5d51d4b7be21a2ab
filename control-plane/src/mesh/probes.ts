import {
  probePageUrl,
  probeProduct,
  probeUserAgent,
} from '@probe-mesh/contracts/agent/probe-identity'
import type { Probes, RegionProbes } from '@probe-mesh/contracts/agent/probes'
import { stateOfAgent } from './sightings.ts'
import type { RegionSightings, SeenAgent } from './sightings.ts'
import { probesRoute } from '@probe-mesh/contracts/agent/probes'
import type { FastifyInstance } from 'fastify'
import { bindPreflight } from '../http/any-origin.ts'
import { sendForm } from '../status-pages/public/public-form.ts'

const robots =
  'robots.txt is not read: it is for crawlers, which find pages by themselves. A check asks only for what an account named, as often as that account said, within the limit above.'

/**
 * Who probes, from where. An address that nobody configured is unknown and is not guessed: whoever
 * lets addresses through a firewall by this list must be able to rely on it. Pure.
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
        ? 'Whoever runs this mesh has published no contact; ask whoever you know of them'
        : `Write to ${contactUrl.replace(/^mailto:/, '')}`
    } and name the host or the addresses: checks of them are then refused and no agent connects to them (BLOCKED_TARGETS). Or refuse requests whose User-Agent begins with ${probeProduct}.`,
    summary: summaryOf(regions),
    regions,
  }
}

const describeRegion = (
  seen: RegionSightings,
  pageUrl: string | null,
  nowMs: number,
): RegionProbes => {
  const agents = [...seen.agents.values()].filter(
    (agent) => stateOfAgent(seen, agent, nowMs) !== 'gone',
  )
  const told = agents.filter(({ addresses }) => addresses.length > 0)
  return {
    region: seen.region,
    agents: agents.length,
    userAgents: sorted(agents, ({ version }) => [probeUserAgent(version, pageUrl)]),
    addresses: sorted(told, ({ addresses }) => addresses),
    addressesKnown: told.length === 0 ? 'none' : told.length === agents.length ? 'all' : 'some',
  }
}

const sorted = (
  agents: readonly SeenAgent[],
  textsOf: (agent: SeenAgent) => readonly string[],
): string[] => [...new Set(agents.flatMap(textsOf))].toSorted()

const summaryOf = (regions: readonly RegionProbes[]): string => {
  const whole = regions.filter(({ addressesKnown }) => addressesKnown === 'all').length
  const known = `The addresses of ${whole} of ${regions.length} regions are known whole`
  return whole === regions.length
    ? `${known}.`
    : `${known}; of the others some or all are unknown, since nobody configured them (PUBLIC_ADDRESSES).`
}

/** Agents come and go within minutes, and firewalls that follow this list ask every hour or so. */
const form = { type: 'application/json; charset=utf-8', maxAgeSeconds: 300 }

/** `/probes.json`: no key, any origin, and nothing is asked of a store. */
export const bindProbes = (app: FastifyInstance, probes: () => Probes): void => {
  app.get(probesRoute.path, (request, reply) =>
    sendForm(request, reply, form, JSON.stringify(probes(), null, 2)),
  )
  bindPreflight(app, probesRoute.path)
}
