import { beforeEach, expect, test } from 'vitest'
import { explainCauses } from './explain-causes.ts'
import type { KnownCauses } from './context.ts'
import { useAlertScenario, type AlertStage } from '../app/alerting/testing/use-alert-scenario.ts'

const stage = useAlertScenario()
const { sql } = stage
let game: AlertStage['game']
let accountId: string

beforeEach(async () => {
  ;({ game, accountId } = stage)
  await sql`delete from shared_state`
  await game.channel(accountId)
  await game.rule(accountId)
})

/** Checks that were seen behind a CDN; null: behind none. */
const behind = async (cdn: string | null, ...names: string[]): Promise<string[]> => {
  const ids = await game.checks(accountId, names)
  await sql`
    insert into check_providers (check_id, region, cdn, seen_at)
    select id, 'fra', ${cdn ?? ''}, ${new Date(game.clock.nowMs)} from unnest(${ids}::uuid[]) as ids (id)`
  return ids
}
const settle = async (seconds: number): Promise<void> => {
  for (let second = 0; second < seconds; second++) {
    await game.act()
    game.pass(1_000)
  }
  await game.act()
}
const twelve = Array.from({ length: 12 }, (_, index) => `shop ${index}`)

test('twelve checks behind one CDN that fails are one message that names it, and one when they recover', async () => {
  const shops = await behind('fastly', ...twelve)
  await behind('cloudflare', 'blog', 'docs')
  await behind(null, 'api')
  await game.flip(shops, 'down')
  await settle(20)
  const told = await game.deliveries(accountId)
  expect(told.map(({ message }) => message.title)).toEqual(['12 checks are down now, behind the CDN Fastly'])
  expect(told[0]?.message.text).toContain(
    'All 12 of your checks that began to fail within half an hour are behind the CDN Fastly, failing in 2 regions since 12:00 UTC, 20 Nov.',
  )
  game.pass(600_000)
  await game.flip(shops, 'operational')
  await settle(20)
  const [, over, ...more] = await game.deliveries(accountId)
  expect(more).toEqual([])
  expect(over?.message).toMatchObject({ event: 'recovery', alertKey: told[0]?.message.alertKey })
})

test('three unrelated failures are three messages and name nothing', async () => {
  const ids = [
    ...(await behind('fastly', 'a')),
    ...(await behind('cloudflare', 'b')),
    ...(await behind(null, 'c')),
  ]
  await game.flip(ids, 'down')
  await settle(20)
  const told = await game.deliveries(accountId)
  expect(told.map(({ message }) => message.title).toSorted()).toEqual(['a is down', 'b is down', 'c is down'])
  for (const { message } of told) expect(message.text).not.toMatch(/behind|Fastly|Cloudflare/)
})

test('an unrelated failure among checks of one cause has a message of its own', async () => {
  const shops = await behind('fastly', 'shop 1', 'shop 2', 'shop 3', 'shop 4')
  const [other = ''] = await behind('bunny', 'other')
  await game.flip([...shops, other], 'down')
  await settle(20)
  const told = await game.deliveries(accountId)
  expect(told.map(({ message }) => message.title).toSorted()).toEqual([
    '4 checks are down now, behind the CDN Fastly',
    'other is down',
  ])
  expect(told.find(({ message }) => message.title.startsWith('4'))?.message.text).toContain(
    '4 of your 5 checks that began to fail within half an hour are behind the CDN Fastly',
  )
})

test('a later failure says how long after the first of its cause it came', async () => {
  const [last = '', ...shops] = await behind('fastly', 'last', 'shop 1', 'shop 2', 'shop 3')
  await game.flip(shops, 'down')
  await settle(180)
  await game.flip([last], 'down')
  await settle(5)
  const told = await game.deliveries(accountId)
  expect(told.at(-1)?.message.title).toBe('last is down')
  expect(told.at(-1)?.message.text).toContain('since 12:00 UTC, 20 Nov, 3 min before this one.')
})

test('a single failure behind a CDN that the catalog shows failing says so', async () => {
  const [shop = ''] = await behind('fastly', 'shop')
  const atMs = game.clock.nowMs
  const member = (slug: string) => ({ slug, name: slug, sinceMs: atMs, failedAtMs: atMs, failing: true })
  const incident = {
    factor: { kind: 'cdn', name: 'fastly' },
    sinceMs: atMs,
    members: ['x', 'y', 'z'].map(member),
    peak: 3,
    measuredCount: 9,
    regions: ['fra', 'iad', 'nrt'],
    confidence: 0.9,
    quietSinceMs: null,
  }
  await sql`
    insert into shared_state (at, state)
    values (${new Date(atMs)}, ${sql.json({ open: [incident], spent: [] })})`
  await game.flip([shop], 'down')
  await settle(5)
  const [told] = await game.deliveries(accountId)
  expect(told?.message.text).toContain(
    'This check is behind the CDN Fastly. Our probes of public services see the CDN Fastly failing too: 3 of 9 services, failing in 3 regions since 12:00 UTC, 20 Nov.',
  )
})

test('an alert goes without its cause when the database does not answer in time', async () => {
  const shops = await behind('fastly', 'shop 1', 'shop 2', 'shop 3')
  await game.flip(shops, 'down')
  await game.act()
  await sql.begin(async (tx) => {
    await tx`lock table check_providers in access exclusive mode`
    game.pass(5_000)
    await game.act()
  })
  const titles = await game.titles(accountId)
  expect(titles.toSorted()).toEqual(['shop 1 is down', 'shop 2 is down', 'shop 3 is down'])
})

test('an account whose read was too slow is not read again for the next receivers', async () => {
  const message = { event: 'alert' } as never
  const waiting = [{ cause: 'a', checkId: accountId, message }]
  const reads = async (causes: KnownCauses): Promise<number> => {
    let count = 0
    const savepoint = async () => {
      count += 1
      throw Object.assign(new Error('canceling statement'), { code: '57014' })
    }
    for (let receiver = 0; receiver < 3; receiver++) {
      expect(
        await explainCauses({ ...game.context, causes }, { savepoint } as never, accountId, waiting),
      ).toBe(waiting)
    }
    game.pass(30_000)
    await explainCauses({ ...game.context, causes }, { savepoint } as never, accountId, waiting)
    return count
  }
  expect(await reads(new Map())).toBe(2)
})
