import { allowNothing, type AllowList } from '@probe-mesh/contracts/target/address'
import { denyNothing } from '@probe-mesh/contracts/target/deny-list'
import { noTimings, type NameEvidence } from '@probe-mesh/contracts/reading/reading-details'
import { noStepAssertions } from '@probe-mesh/contracts/check/step-assertions'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createNameControls } from '../dns-evidence/controls.ts'
import { createNameInquiry } from '../dns-evidence/inquire.ts'
import { resolverWith, startZones, type Word } from '../dns-evidence/testing.ts'
import { answering as replying, startDnsServer } from '@probe-mesh/check-types/dns/probe/testing/dns-server'
import { noRoute } from '../request/failure.ts'
import { allowing, resolverOf } from '../request/testing/ask.ts'
import { startRawServer } from '../request/testing/raw-server.ts'
import type { Attempt } from './attempt.ts'
import { ruleOutOwnFault } from './own-fault.ts'
import { assignmentOf, lagOf, setUp } from './testing/run.ts'

const name = 'www.example.org'
const url = `http://${name}/`
const canary = 'canary.example.net'
const top = '127.7.0.1'
const own = '127.7.0.2'
const below = { zone: 'example.org', servers: { 'a.ns.example.org': own } }

/** @param code the resolver's failure for the name and for all other queries */
const runner = async (
  codes: { name: string; others?: string; unchecked?: number },
  words: Record<string, Word> = {},
  more: Parameters<typeof setUp>[0] = {},
) => {
  const zones = await startZones({ [top]: below, ...words })
  const unchecked = await startDnsServer((asked) => asked.send(replying(asked, [], codes.unchecked ?? 2)))
  onTestFinished(unchecked.close)
  const asked: string[] = []
  const known = resolverWith({ [name]: codes.name, 'top.example.net': [top] }, { org: ['top.example.net'] })
  const others = (of: string): Promise<string[]> =>
    of === canary
      ? Promise.resolve(['192.0.2.9'])
      : of.endsWith(canary)
        ? Promise.reject(Object.assign(new Error('control'), { code: codes.others ?? 'ENOTFOUND' }))
        : known.resolve4(of)
  const resolver = {
    ...known,
    resolve4: (of: string) => {
      asked.push(of)
      return others(of)
    },
    getServers: () => [unchecked.resolver],
  }
  const names = createNameInquiry({
    controls: createNameControls({ hosts: [canary], resolver }),
    port: zones.port,
  })
  return {
    ...setUp({ allow: allowing('127.7.0.0/16'), resolver, names, ...more }),
    /** All queries except those of the attempts. */
    questions: () => [
      ...asked.filter((of) => of !== name),
      ...known.asked.filter((of) => of.startsWith('NS')),
      ...zones.asked,
      ...unchecked.queries,
    ],
  }
}

const saying = async (...how: Parameters<typeof runner>) => {
  const { run } = await runner(...how)
  const reading = await run(url)
  const { verdict, fault, cause, reason, details } = reading
  return { said: `${verdict} ${fault} ${cause}: ${reason}`, details, reading }
}

describe('a name that the resolver of the probe does not answer for', () => {
  test.each<[code: string, own: Word, unchecked: number, said: string]>([
    [
      'ESERVFAIL',
      'silent',
      2,
      'down target dns_servers_unreachable: the name servers of example.org do not answer',
    ],
    [
      'ETIMEOUT',
      'silent',
      2,
      'down target dns_servers_unreachable: the name servers of example.org do not answer',
    ],
    [
      'ESERVFAIL',
      { rcode: 5 },
      2,
      'down target dns_lame_delegation: the name servers of example.org do not serve it (REFUSED)',
    ],
    [
      'ESERVFAIL',
      { address: '192.0.2.1' },
      0,
      'down target dnssec_failed: DNSSEC validation of the name fails, so validating resolvers do not answer',
    ],
    [
      'ESERVFAIL',
      { address: '192.0.2.1' },
      2,
      'unmeasured probe dns_server_failure: the resolver of the probe could not answer',
    ],
    [
      'ETIMEOUT',
      { address: '192.0.2.1' },
      2,
      'unmeasured probe dns_unreachable: the resolver of the probe did not answer',
    ],
    ['ETIMEOUT', { rcode: 3 }, 2, 'down target dns_not_found: the host name does not exist'],
  ])('%s, its own server %j, unchecked %i', async (name, word, unchecked, expected) => {
    const { said } = await saying({ name, unchecked }, { [own]: word })
    expect(said).toBe(expected)
  })

  test.each([
    ['ESERVFAIL', 'dns_server_failure: the name could not be resolved, while other names were resolved'],
    ['ETIMEOUT', 'dns_timeout: no answer for the name, while other names were resolved'],
  ])('%s is down by comparison when the zone’s servers cannot be asked', async (name, said) => {
    const seen = await saying({ name }, { [top]: 'silent' })
    expect(seen.said).toBe(`down target ${said}`)
  })

  test.each(['ESERVFAIL', 'ETIMEOUT'])('%s is not measured when every name fails so', async (name) => {
    const { said } = await saying({ name, others: name }, { [own]: 'silent' })
    expect(said).toMatch(/^unmeasured probe dns_(?:server_failure|unreachable): /)
  })

  test('is not measured while the canaries are not reached', async () => {
    const offline = { connectivity: { online: async () => false } }
    const { said } = await saying({ name: 'ESERVFAIL' }, { [own]: 'silent' }, offline)
    expect(said).toBe('unmeasured probe probe_offline: the probe has no working network')
  })

  test('is not measured when our loop was blocked during the wait', async () => {
    const { said } = await saying({ name: 'ETIMEOUT' }, { [own]: 'silent' }, { lag: lagOf(800) })
    expect(said).toContain('unmeasured probe probe_lagging')
  })

  test('costs eight questions at most', async () => {
    const { run, questions } = await runner(
      { name: 'ESERVFAIL' },
      {
        [top]: { ...below, servers: { ...below.servers, 'b.ns.example.org': '127.7.0.3' } },
        [own]: 'silent',
        '127.7.0.3': 'silent',
      },
    )
    await run(url)
    const asked = questions()
    // queries to a silent server are repeated
    expect(new Set(asked).size).toBeLessThanOrEqual(8)
    expect(asked.length - new Set(asked).size).toBeLessThanOrEqual(2)
  })

  test('is retried, and is up when the retry succeeds', async () => {
    let asked = 0
    const resolve4 = async (): Promise<string[]> => {
      if (++asked === 1) throw Object.assign(new Error('once'), { code: 'ESERVFAIL' })
      return ['127.0.0.1']
    }
    const target = await startRawServer((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
    )
    onTestFinished(target.close)
    const resolver = { resolve4, resolve6: () => Promise.reject(new Error('none')) }
    const names = createNameInquiry({ controls: createNameControls({ hosts: [canary], resolver }) })
    const { run } = setUp({ resolver, names })
    expect(await run(`http://${name}:${target.port}/`)).toMatchObject({
      verdict: 'up',
      attempts: 2,
    })
  })
})

describe('a name that the resolver of the probe denies', () => {
  test('is down when its own servers deny it', async () => {
    const { said, details, reading } = await saying({ name: 'ENOTFOUND' }, { [own]: { rcode: 3 } })
    expect(said).toBe('down target dns_not_found: the host name does not exist')
    expect(reading.proven).toBe(true)
    expect(details?.names?.servers.map(({ answer }) => answer)).toEqual(['referral', 'NXDOMAIN'])
  })

  test('is not proven down when the zone’s servers cannot be asked', async () => {
    const { said, reading } = await saying({ name: 'ENOTFOUND' }, { [top]: 'silent' })
    expect(said).toBe('down target dns_not_found: the host name does not exist')
    expect(reading).not.toHaveProperty('proven')
  })

  test('is not measured when its own servers know it', async () => {
    const { said } = await saying({ name: 'ENOTFOUND' }, { [own]: { address: '192.0.2.1' } })
    expect(said).toBe(
      'unmeasured probe dns_unconfirmed: the name servers of the zone know the name, but the resolver of the probe does not',
    )
  })
})

test('the reading contains the queries and their servers', async () => {
  const { details } = await saying({ name: 'ESERVFAIL' }, { [own]: { rcode: 5 } })
  const names: NameEvidence = {
    name,
    resolver: 'failed',
    controls: 'answered',
    unchecked: 'SERVFAIL',
    zone: 'example.org',
    servers: [
      { name: 'top.example.net', address: top, answer: 'referral' },
      { name: 'a.ns.example.org', address: own, answer: 'REFUSED' },
    ],
  }
  expect(details).toEqual({ type: 'http', cdn: null, nameServers: [], names })
})

test('a journey names the step of an unresolved name', async () => {
  const { runAny } = await runner({ name: 'ESERVFAIL' }, { [own]: 'silent' })
  const { url: _, assertions: __, ...common } = assignmentOf(url)
  const request = { method: 'POST', url, body: null, contentType: null } as const
  const reading = await runAny({
    ...common,
    type: 'multistep',
    intervalSeconds: 60,
    steps: [{ name: 'cart', ...request, assertions: noStepAssertions }],
  })
  expect(reading).toMatchObject({
    verdict: 'down',
    reason: 'Step 1 (cart): the name servers of example.org do not answer',
    attempts: 1,
  })
  expect(reading.details?.names?.resolver).toBe('failed')
})

describe('an address without a route', () => {
  const attempt = (unroutable: string[], reason = noRoute.reason): Attempt => ({
    measuredAt: 0,
    judgement: { verdict: 'unmeasured', fault: 'probe', cause: noRoute.cause, reason },
    trace: {
      answered: false,
      httpStatus: null,
      latencyMs: 1,
      timings: noTimings,
      address: unroutable.at(-1) ?? null,
      certificateExpiresAt: null,
      details: null,
      unroutable,
    },
  })
  const judge = async (
    failed: Attempt,
    {
      reached,
      online = true,
      open = allowNothing,
    }: {
      reached: readonly number[]
      online?: boolean
      open?: AllowList
    },
  ) => {
    const connectivity = {
      online: async () => online,
      reaches: async (family: 4 | 6) => reached.includes(family),
    }
    const guard = {
      allow: open,
      deny: denyNothing,
      resolver: resolverOf({}),
      ownAddresses: () => new Set<string>(),
      spend: () => true,
    }
    const assignment = assignmentOf(url)
    const { signal } = new AbortController()
    const run = { assignment, guard, signal, sinceMs: 0 }
    const { judgement } = await ruleOutOwnFault(failed, run, null, () => 0, { connectivity })
    return `${judgement.verdict} ${judgement.cause}: ${judgement.reason}`
  }
  const down = 'down host_unreachable: there is no route to the host, while other hosts are reachable'
  const lost = 'unmeasured no_route: the probe has no route to the address'
  const [ipv4, ipv6] = ['93.184.215.14', '2606:2800:220:1::14']

  test.each<[addresses: string[], reached: number[], said: string]>([
    [[ipv4], [4], down],
    [[ipv4], [6], lost],
    [[ipv4], [], lost],
    [[ipv6], [6], down],
    [[ipv6], [4], lost],
    [[ipv4, ipv6], [4], down],
    [[ipv4, ipv6], [6], down],
    [[ipv4, ipv6], [], lost],
  ])('%j, where canaries of %j are reached', async (addresses, reached, said) => {
    expect(await judge(attempt(addresses), { reached })).toBe(said)
  })

  test('in the operator’s own network is not compared with the internet', async () => {
    const open = allowing(ipv4)
    expect(await judge(attempt([ipv4]), { reached: [4], open })).toBe(lost)
  })

  test('is not measured while no canary is reached', async () => {
    const said = await judge(attempt([ipv4]), { reached: [4], online: false })
    expect(said).toBe('unmeasured probe_offline: the probe has no working network')
  })

  test('is reported with the step of a journey', async () => {
    const where = 'Step 2 (cart): '
    const failed = attempt([ipv4], `${where}${noRoute.reason}`)
    expect(await judge(failed, { reached: [4] })).toBe(down.replace(': ', `: ${where}`))
  })
})
