import { z } from 'zod'
import { Instant } from '../schema/text.ts'
import { Region } from '../reading/regions.ts'

/** The online agents of a region. */
export const RegionProbes = z.object({
  region: Region,
  agents: z.int(),
  /** The User-Agents of their requests. */
  userAgents: z.array(z.string()),
  /** Source addresses and CIDRs of their requests, as configured by their operators. */
  addresses: z.array(z.string()),
  /** How many of the agents report their source addresses; `none` also without agents. */
  addressesKnown: z.enum(['all', 'some', 'none']),
})
export type RegionProbes = z.infer<typeof RegionProbes>

/** `GET /probes.json`: identity and addresses of the probes, and how to opt out. */
export const Probes = z.object({
  asOf: Instant,
  /** The start of every User-Agent, for log searches and allow lists. */
  product: z.string(),
  /** The page with this information for people. */
  url: z.url(),
  /** The contact of the operator, a URL or `mailto:`; null when not configured. */
  contact: z.string().nullable(),
  /** `local` when every region is measured from one machine. */
  vantage: z.enum(['local', 'regional']),
  /** Maximum scheduled requests per minute to one host, from all checks of all accounts. */
  requestsPerHostAndMinuteMax: z.number(),
  /** The policy for `robots.txt`. */
  robots: z.string(),
  /** How to opt out. */
  optOut: z.string(),
  /** One sentence about the known addresses. */
  summary: z.string(),
  regions: z.array(RegionProbes),
})
export type Probes = z.infer<typeof Probes>

/** Needs no key and allows all origins. */
export const probesRoute = {
  method: 'GET',
  path: '/probes.json',
  summary: 'Addresses and User-Agent of the probes, and how to opt out',
  success: 200,
  output: Probes,
} as const
