import { parseAccountAllow } from '@probe-mesh/contracts/src/target/account-allow'
import { denyNothing } from '@probe-mesh/contracts/target/deny-list'
import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import type { ServerResponse } from 'node:http'
import { Registry } from 'prom-client'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { notifyExpiries } from './expiry-watcher.ts'
import { alertScenario } from '../../app/alerting/testing.ts'
import { createResolver } from '../../notifications/outgoing/resolve.ts'
import { startReceiver } from '../../notifications/outgoing/testing.ts'
import { findDomains, findDomainWithout, deleteCheckDomain } from './domains-store.ts'
import { runDomainRound, domainMetrics } from './domain-loop.ts'
import { createRegistries } from './registries.ts'

const sql = useTestSql({ role: 'probe_mesh_system' })
let game: ReturnType<typeof alertScenario>
const dayMs = 86_400_000
const startMs = Date.parse('2026-11-20T12:00:00.000Z')

beforeEach(async () => {
  await sql`delete from accounts`
  await sql`delete from domains`
  game = alertScenario(sql)
})

const allowed = parseAccountAllow(['127.0.0.0/8'])
if (!allowed.ok) throw new Error('the allow list of this test is wrong')

/** Days from the start on which the registration of a domain ends. */
type Ends = Record<string, number>
type Answer = (path: string, response: ServerResponse) => boolean

/** A registry and the list that names it, both on loopback, and who asks them. */
const registry = async (ends: Ends = {}, special: Answer = () => false) => {
  const received: string[] = []
  const server = await startReceiver(({ path }, response) => {
    received.push(path)
    if (special(path, response)) return
    if (path === '/dns.json') {
      const services = [[['org', 'net'], [`http://127.0.0.1:${server.port}/rdap`]]]
      response.writeHead(200).end(JSON.stringify({ services }))
      return
    }
    const name = path.split('/').at(-1) ?? ''
    const endsAtDay = ends[name]
    if (endsAtDay === undefined) return void response.writeHead(404).end()
    response.writeHead(200).end(
      JSON.stringify({
        objectClassName: 'domain',
        ldhName: name.toUpperCase(),
        events: [
          { eventAction: 'registration', eventDate: '2001-01-01T00:00:00Z' },
          {
            eventAction: 'expiration',
            eventDate: new Date(startMs + endsAtDay * dayMs).toISOString(),
          },
        ],
        entities: [{ roles: ['registrar'], vcardArray: ['vcard', [['fn', {}, 'text', 'A Registrar']]] }],
      }),
    )
  })
  onTestFinished(server.close)
  const asker = () => {
    const failures: unknown[] = []
    const registries = createRegistries({
      bootstrapUrl: `http://127.0.0.1:${server.port}/dns.json`,
      guard: { allow: allowed.allow, deny: denyNothing, resolver: createResolver() },
      onFailure: (error) => failures.push(error),
      now: () => game.clock.nowMs,
    })
    const metrics = domainMetrics(new Registry())
    const context = { sql, registries, metrics, now: () => game.clock.nowMs }
    return { round: () => runDomainRound(context, new AbortController().signal), failures }
  }
  return {
    asker,
    port: server.port,
    questions: () => received.filter((path) => path !== '/dns.json').toSorted(),
    received,
  }
}

const checks = (accountId: string, hosts: readonly string[]) =>
  game.checks(accountId, hosts, (host) => `https://${host}/`)
const outcomes = async () =>
  Object.fromEntries(
    (await sql<{ name: string; outcome: string }[]>`select name, outcome from domains`).map(
      ({ name, outcome }) => [name, outcome],
    ),
  )

test('sends one query per domain and day over all accounts, checks and control planes', async () => {
  const { asker, questions } = await registry({ 'example.org': 100, 'example.net': 200 })
  const [mine, other] = [await game.account(), await game.account()]
  const first = await checks(mine, ['example.org', 'www.example.org', 'example.net'])
  const second = await checks(other, ['api.example.org'])
  const [a, b] = [asker(), asker()]
  await Promise.all([a.round(), b.round(), a.round()])
  for (let hours = 0; hours < 23; hours++) {
    await a.round()
    game.pass(3_600_000)
  }
  expect(questions()).toEqual(['/rdap/domain/example.net', '/rdap/domain/example.org'])
  const known = await findDomains(sql, [...first, ...second])
  expect(known.size).toBe(4)
  expect(known.get(second[0] ?? '')).toEqual({
    name: 'example.org',
    expiresAtMs: startMs + 100 * dayMs,
    registrar: 'A Registrar',
    askedAtMs: startMs,
  })
  const [late = ''] = await checks(other, ['late.example.org'])
  await a.round()
  expect((await findDomains(sql, [late])).get(late)).toMatchObject({ name: 'example.org' })
  expect(questions()).toHaveLength(2)
  game.pass(2 * 3_600_000)
  await Promise.all([a.round(), b.round()])
  expect(questions()).toHaveLength(4)
})

test('sends one alert before a domain expires, for all its checks, and one on renewal', async () => {
  const ends: Ends = { 'example.org': 6 }
  const { asker } = await registry(ends)
  const accountId = await game.account()
  await game.channel(accountId)
  await game.rule(accountId)
  await checks(accountId, ['example.org', 'www.example.org'])
  const { round } = asker()
  const look = async () => {
    await round()
    await notifyExpiries(game.context)
  }
  await look()
  await look()
  game.pass(dayMs)
  await look()
  expect(await game.titles(accountId)).toEqual(['The domain example.org expires in 6 days'])
  ends['example.org'] = 370
  game.pass(dayMs)
  await look()
  await look()
  expect(await game.titles(accountId)).toEqual([
    'The domain example.org expires in 6 days',
    'The domain example.org was renewed',
  ])
  const [alert, renewed] = await game.deliveries(accountId)
  expect(renewed?.message.alertKey).toBe(alert?.message.alertKey)
})

test('an account with many domains does not delay one with few', async () => {
  const { asker, questions } = await registry()
  const [many, few] = [await game.account(), await game.account()]
  await checks(
    many,
    Array.from({ length: 40 }, (_, each) => `a${each}.org`),
  )
  await checks(few, ['zz.org', 'a0.org'])
  await asker().round()
  expect(questions()).toHaveLength(15)
  expect(questions()).toContain('/rdap/domain/zz.org')
})

test('every account gets one query before any gets a second', async () => {
  const { asker, questions } = await registry()
  for (let n = 10; n < 30; n++) {
    await checks(await game.account(), [`a${n}-a.org`, `a${n}-b.org`, `a${n}-c.org`])
  }
  const { round } = asker()
  await round()
  game.pass(15_000)
  await round()
  const owners = questions().map((path) => path.slice(0, -'-a.org'.length))
  expect([owners.length, new Set(owners).size]).toEqual([30, 20])
})

test('queries nothing for addresses, private names, private checks and paused checks', async () => {
  const { asker, received } = await registry()
  const accountId = await game.account()
  const ids = await checks(accountId, ['93.184.216.34', 'db.internal', 'own.org', 'idle.org'])
  await sql`update checks set private = true where id = ${ids[2] ?? ''}`
  await sql`update checks set paused = true where id = ${ids[3] ?? ''}`
  await asker().round()
  expect(received).toEqual([])
})

test('a changed target gets a new domain', async () => {
  const { asker } = await registry({ 'example.org': 10, 'example.net': 20 })
  const [id = ''] = await checks(await game.account(), ['example.org'])
  const { round } = asker()
  await round()
  await sql`update checks set url = 'https://example.net/' where id = ${id}`
  await sql.begin((tx) => deleteCheckDomain(tx, id))
  await round()
  expect((await findDomains(sql, [id])).get(id)).toMatchObject({ name: 'example.net' })
})

describe('a registry', () => {
  const told = async (special: Answer, ends: Ends = { 'example.org': 5 }) => {
    const started = await registry(ends, special)
    await checks(await game.account(), ['example.org'])
    const { round, failures } = started.asker()
    await round()
    return { ...started, round, failures }
  }

  test('without the domain and without a server are told apart', async () => {
    const { asker } = await registry()
    await checks(await game.account(), ['example.org', 'example.co.uk'])
    await asker().round()
    expect(await outcomes()).toEqual({ 'example.org': 'not_found', 'example.co.uk': 'no_server' })
  })

  test.each<[string, Answer]>([
    ['an error', (path, response) => path !== '/dns.json' && !!response.writeHead(500).end()],
    ['no JSON', (path, response) => path !== '/dns.json' && !!response.writeHead(200).end('{')],
    [
      'JSON too deep',
      (path, response) => path !== '/dns.json' && !!response.writeHead(200).end('['.repeat(1_000)),
    ],
    [
      'another domain',
      (path, response) =>
        path !== '/dns.json' &&
        !!response.writeHead(200).end(JSON.stringify({ objectClassName: 'domain', ldhName: 'other.org' })),
    ],
    [
      'more than is read',
      (path, response) => path !== '/dns.json' && !!response.writeHead(200).end('x'.repeat(600_000)),
    ],
    [
      'a redirect to an address that is not public',
      (path, response) =>
        path !== '/dns.json' && !!response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
    ],
    [
      'redirects without an end',
      (path, response) =>
        path !== '/dns.json' && !!response.writeHead(302, { location: '/rdap/again' }).end(),
    ],
  ])('that answers with %s tells nothing, and is not asked again that day', async (_, special) => {
    const { round, questions } = await told(special)
    const asked = questions().length
    expect(asked).toBeLessThanOrEqual(4)
    expect(await outcomes()).toEqual({ 'example.org': 'failed' })
    game.pass(dayMs - 1)
    await round()
    expect(questions()).toHaveLength(asked)
  })

  test('is followed on a redirect', async () => {
    const { questions } = await told((path, response) => {
      if (path !== '/rdap/domain/example.org') return false
      response.writeHead(301, { location: '/moved/domain/example.org' }).end()
      return true
    })
    expect(await outcomes()).toEqual({ 'example.org': 'told' })
    expect(questions()).toContain('/moved/domain/example.org')
  })

  test('that asks for a pause gets no query until then, and no domain loses its day', async () => {
    const { round, questions } = await told((path, response) => {
      if (path === '/dns.json') return false
      response.writeHead(429, { 'retry-after': '600' }).end()
      return true
    })
    await checks(await game.account(), ['other.org'])
    await round()
    expect(questions()).toHaveLength(1)
    game.pass(600_000)
    await round()
    expect(questions()).toEqual(['/rdap/domain/example.org', '/rdap/domain/other.org'])
  })

  test('without the list of registries no domain loses its day', async () => {
    let isAway = true
    const { round, failures, questions } = await told((path, response) => {
      if (!isAway || path !== '/dns.json') return false
      response.writeHead(503).end()
      return true
    })
    expect([failures.length, questions()]).toEqual([1, []])
    isAway = false
    game.pass(600_000)
    await round()
    expect(await outcomes()).toEqual({ 'example.org': 'told' })
  })
})

/** A registration with these events. */
const withEvents =
  (events: unknown): Answer =>
  (path, response) => {
    if (path === '/dns.json') return false
    response.writeHead(200).end(JSON.stringify({ objectClassName: 'domain', ldhName: 'example.org', events }))
    return true
  }
const expiresOn = (eventDate: unknown, eventAction = 'expiration') => withEvents([{ eventAction, eventDate }])
const status =
  (code: number, body = ''): Answer =>
  (path, response) => {
    if (path === '/dns.json') return false
    response.writeHead(code).end(body)
    return true
  }
const end = '2027-08-13T04:00:00.000Z'

test.each<[host: string, what: string, answer: Answer, known: string]>([
  ['www.example.org', 'a date with its zone', expiresOn('2027-08-13T06:00:00+02:00'), end],
  ['www.example.org', 'a date without a zone, as UTC', expiresOn('2027-08-13T04:00:00'), end],
  ['www.example.org', 'a date with a blank', expiresOn('2027-08-13 04:00:00'), end],
  ['www.example.org', 'a date with fractions', expiresOn('2027-08-13T04:00:00.0Z'), end],
  ['www.example.org', 'a day, from its start', expiresOn('2027-08-13'), '2027-08-13T00:00:00.000Z'],
  ['www.example.org', 'an action in another case', expiresOn(end, 'Expiration'), end],
  ['www.example.org', 'the end at the registrar alone', expiresOn(end, 'registrar expiration'), 'told'],
  ['www.example.org', 'no events', withEvents(undefined), 'told'],
  ['www.example.org', 'no end', expiresOn(end, 'registration'), 'told'],
  ['www.example.org', 'a day of another calendar', expiresOn('13.08.2027'), 'unreadable_date'],
  ['www.example.org', 'an empty date', expiresOn(''), 'unreadable_date'],
  ['www.example.org', 'a number', expiresOn(1_800_000_000), 'unreadable_date'],
  ['www.example.org', 'a day that does not exist', expiresOn('2027-02-30T00:00:00Z'), 'unreadable_date'],
  ['www.example.org', 'an unknown domain', status(404), 'not_found'],
  ['www.example.org', 'an error', status(500), 'failed'],
  ['www.example.org', 'a page', status(200, '<html>'), 'failed'],
  ['www.example.org', 'an endless answer', status(200, ' '.repeat(600_000)), 'failed'],
  ['www.example.de', 'an ending without a server', status(500), 'no_server'],
])('a check of %s knows of its domain what a registry told: %s', async (host, _, answer, known) => {
  const { asker } = await registry({}, answer)
  const [id = ''] = await checks(await game.account(), [host])
  await asker().round()
  const without = await sql.begin((tx) => findDomainWithout(tx, id))
  const date = (await findDomains(sql, [id])).get(id)?.expiresAtMs
  expect(date === undefined ? without?.outcome : new Date(date).toISOString()).toBe(known)
  expect(without?.triedAtMs).toBe(startMs)
})
