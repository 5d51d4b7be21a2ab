import { allowNothing, parseAllowList } from '@probe-mesh/contracts/target/address'
import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import type { HttpAssignment } from '@probe-mesh/contracts/mesh/assignment'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { createTrust } from '../../request/connect.ts'
import { createResolver } from '../../request/resolve.ts'
import { createConnectivity } from '../connectivity.ts'
import { createHandshakes } from '../handshakes.ts'
import { createLoopLag } from '../loop-lag.ts'
import { createRunner } from '../runner.ts'
import { unlimited } from '../../request/unlimited.ts'

/**
 * An agent's runs in a separate process, to measure only their memory. It receives a list of URLs, runs them
 * one after another and replies with the results.
 */
export type Asked = { urls: string[]; intervalSeconds: number }
export type Measured = {
  reading: Reading
  /** Both attempts together, ms. */
  tookMs: number
  /** The longest block of this process's loop in that time, ms. */
  lagMs: number
  /** Peak memory of this process so far, bytes. */
  peakBytes: number
}

const parsed = parseAllowList(['127.0.0.1/32'])
const allow = parsed.ok ? parsed.allow : allowNothing
const lag = createLoopLag()
const resolver = createResolver()
const ignore = () => undefined
const runner = createRunner({
  allow,
  resolver,
  ownAddresses: () => new Set(),
  ...unlimited,
  trust: createTrust(),
  browser: null,
  connectivity: createConnectivity({ canaries: [], reach: async () => true }),
  handshakes: createHandshakes(),
  lag: { ...lag, worstSince: () => 0, blockedSince: () => 0 },
  now: Date.now,
  log: { info: ignore, warn: ignore, error: ignore },
  version: 'test',
  probesUrl: null,
})

const assignmentOf = (url: string, intervalSeconds: number): HttpAssignment => ({
  checkId: crypto.randomUUID(),
  accountId: 'account',
  region: 'fra',
  revision: 1,
  validFrom: 0,
  intervalSeconds,
  owner: 'account',
  type: 'http',
  url,
  assertions: {
    ...noAssertions,
    assertionBodyOp: 'contains',
    assertionBodyValue: 'what is never there',
  },
})

const measure = async (url: string, intervalSeconds: number): Promise<Measured> => {
  const startedAt = performance.now()
  const reading = await runner.run(assignmentOf(url, intervalSeconds), {
    slot: Date.now(),
    kind: 'scheduled',
    number: 0,
    lateMs: 0,
    signal: new AbortController().signal,
  })
  const tookMs = performance.now() - startedAt
  const lagMs = lag.worstSince(startedAt)
  return { reading, tookMs, lagMs, peakBytes: process.resourceUsage().maxRSS * 1024 }
}

process.on('message', async ({ urls, intervalSeconds }: Asked) => {
  for (const url of urls) process.send?.(await measure(url, intervalSeconds))
})
