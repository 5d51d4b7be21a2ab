import { silentLogger } from '@probe-mesh/bus/logger'
import { parseAllowList, type AllowList } from '@probe-mesh/contracts/target/address'
import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import type { HttpAssignment } from '@probe-mesh/contracts/mesh/assignment'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { createNameControls } from '@probe-mesh/probe-agent/dns-evidence/controls'
import { createNameInquiry } from '@probe-mesh/probe-agent/dns-evidence/inquire'
import { createTrust } from '@probe-mesh/probe-agent/request/connect'
import { createOwnAddresses } from '@probe-mesh/probe-agent/request/own-addresses'
import { createResolver } from '@probe-mesh/probe-agent/request/resolve'
import { createConnectivity } from '@probe-mesh/probe-agent/run/connectivity'
import { createHandshakes } from '@probe-mesh/probe-agent/run/handshakes'
import { createLoopLag } from '@probe-mesh/probe-agent/run/loop-lag'
import { createRunner } from '@probe-mesh/probe-agent/run/runner'
import { expectedText, zone, type Target } from './targets.ts'
import { unlimited } from '@probe-mesh/probe-agent/src/request/unlimited'

/** The URL of one check: a name that no concurrent check shares (null: an IP address), and a path. */
type BenchCheck = { name: string | null; secure: boolean; path: string }

export type BenchRunner = (check: BenchCheck) => Promise<Reading>

/**
 * The agent's runner, put together as an agent does it, except that it may probe the loopback, trusts the
 * bench's authority, and uses the bench's DNS server.
 */
export const createBenchRunner = (target: Target): BenchRunner => {
  const resolver = createResolver(() => ({ servers: [`127.0.0.1:${target.namesPort}`] }))
  const { run } = createRunner({
    allow: loopback(),
    resolver,
    names: createNameInquiry({ controls: createNameControls({ hosts: [canaryHost], resolver }) }),
    ownAddresses: createOwnAddresses(Date.now),
    ...unlimited,
    trust: createTrust([target.ca]),
    browser: null,
    connectivity: createConnectivity({ canaries: [], reach: () => Promise.resolve(true) }),
    handshakes: createHandshakes(),
    lag: createLoopLag(),
    now: Date.now,
    log: silentLogger,
    version: 'bench',
    probesUrl: null,
  })
  const never = new AbortController().signal
  return (check) => {
    const slot = Date.now()
    const context = { slot, kind: 'scheduled', number: 0, lateMs: 0, signal: never } as const
    return run(assignmentOf(check, target), context)
  }
}

/** With a canary, the runner never uses the name of a check in its place. */
const canaryHost = `canary.${zone}`

const loopback = (): AllowList => {
  const parsed = parseAllowList(['127.0.0.0/8'])
  if (!parsed.ok) throw new Error(parsed.problems.join())
  return parsed.allow
}

/** The usual assertions: a status and a text. */
const assertions = {
  ...noAssertions,
  assertionStatusMin: 200,
  assertionStatusMax: 299,
  assertionBodyOp: 'contains',
  assertionBodyValue: expectedText,
  assertionBodyCaseSensitive: true,
} as const

const assignmentOf = ({ name, secure, path }: BenchCheck, target: Target): HttpAssignment => {
  const host = name === null ? '127.0.0.1' : `${name}.${zone}`
  const origin = secure ? `https://${host}:${target.httpsPort}` : `http://${host}:${target.httpPort}`
  return {
    checkId: '018f0000-0000-7000-8000-000000000000',
    accountId: 'bench',
    region: 'fra',
    revision: 1,
    validFrom: 0,
    intervalSeconds: 60,
    type: 'http',
    url: `${origin}${path}`,
    assertions,
    owner: 'account',
  }
}
