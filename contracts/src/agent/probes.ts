import { z } from 'zod'
import { Vantage } from '../check/check.ts'
import { components, field } from '../schema/field.ts'
import { Instant } from '../schema/text.ts'
import { Region } from '../reading/regions.ts'

/** The online agents of a region. */
export const RegionProbes = z.object({
  region: Region,
  agents: field(z.int(), 'Number of online agents.', 2),
  userAgents: field(z.array(z.string()), 'User-Agents of their requests.', [
    'ProbeMesh/0.1.0 (uptime monitoring; +https://status.example.com/probes)',
  ]),
  addresses: field(
    z.array(z.string()),
    'Source addresses and CIDRs of their requests, as configured by their operators.',
    ['203.0.113.0/28'],
  ),
  addressesKnown: field(
    z.enum(['all', 'some', 'none']),
    'How many of the agents report their source addresses. `none` also without agents.',
    'all',
  ),
})
export type RegionProbes = z.infer<typeof RegionProbes>
components.add(RegionProbes, { id: 'RegionProbes' })

/** `GET /probes.json`: identity and addresses of the probes, and how to opt out. */
export const Probes = z.object({
  asOf: field(Instant, 'Time of the data.'),
  product: field(z.string(), 'Start of every User-Agent, for log searches and allow lists.', 'ProbeMesh'),
  url: field(z.url(), 'Page with the same for people.', 'https://status.example.com/probes'),
  contact: field(
    z.string().nullable(),
    'Contact of the operator, a URL or `mailto:`. null when not configured.',
    'mailto:ops@example.com',
  ),
  vantage: Vantage,
  requestsPerHostAndMinuteMax: field(
    z.number(),
    'Most scheduled requests per minute to one host, from all checks of all accounts.',
    6000,
  ),
  robots: field(z.string(), 'Policy for `robots.txt`.', 'Probes do not crawl.'),
  optOut: field(z.string(), 'How to opt out.', 'Write to the contact.'),
  summary: field(z.string(), 'One sentence about known addresses.', 'Addresses of 4 of 4 regions are known.'),
  regions: field(z.array(RegionProbes), 'Regions with their online agents.'),
})
export type Probes = z.infer<typeof Probes>
components.add(Probes, { id: 'Probes' })

/** Needs no key and allows all origins. */
export const probesRoute = {
  method: 'GET',
  path: '/probes.json',
  summary: 'Addresses and User-Agent of the probes, and how to opt out',
  success: 200,
  output: Probes,
} as const
