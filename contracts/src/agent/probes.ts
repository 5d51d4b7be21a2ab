import { z } from 'zod'
import { Instant } from '../schema/text.ts'
import { Region } from '../reading/regions.ts'

/** What is known of a region's agents that are there. */
export const RegionProbes = z.object({
  region: Region,
  agents: z.int(),
  /** What their requests say of themselves. */
  userAgents: z.array(z.string()),
  /** Addresses and CIDRs that their requests come from, as their operators configured them. */
  addresses: z.array(z.string()),
  /** Whether every agent told where its requests come from; `none` also where there is no agent. */
  addressesKnown: z.enum(['all', 'some', 'none']),
})
export type RegionProbes = z.infer<typeof RegionProbes>

/** `GET /probes.json`: who probes, from where, and how to be left alone. */
export const Probes = z.object({
  asOf: Instant,
  /** How every User-Agent begins: what to look for in a log, or to let through. */
  product: z.string(),
  /** The same for people. */
  url: z.url(),
  /** Where whoever runs the mesh is reached, a URL or `mailto:`; null: nobody said where. */
  contact: z.string().nullable(),
  /** `local` when every region is measured from one machine. */
  vantage: z.enum(['local', 'regional']),
  /** What all checks of all accounts together may ask of one host, scheduled requests a minute. */
  requestsPerHostAndMinuteMax: z.number(),
  /** What becomes of `robots.txt`. */
  robots: z.string(),
  /** What to do in order not to be probed. */
  optOut: z.string(),
  /** One sentence on what is known of the addresses. */
  summary: z.string(),
  regions: z.array(RegionProbes),
})
export type Probes = z.infer<typeof Probes>

/** Below the site, without a key and open to every origin. */
export const probesRoute = {
  method: 'GET',
  path: '/probes.json',
  summary: 'Addresses and User-Agent of the probes, and how not to be probed',
  success: 200,
  output: Probes,
} as const
