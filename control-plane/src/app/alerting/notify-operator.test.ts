import type { RegionNotice } from '@probe-mesh/contracts/mesh/mesh'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import { Registry } from 'prom-client'
import { beforeEach, expect, test, vi } from 'vitest'
import { startNoticeWatcher } from './notice-watcher.ts'
import { notifyOperator } from './notify-operator.ts'
import { alertScenario } from './testing.ts'

const sql = useTestSql({ role: 'probe_mesh_system' })
let game: ReturnType<typeof alertScenario>
let operators: string
/** A channel of theirs, which gets the messages. */
let chosen: string

const minute = 60_000

beforeEach(async () => {
  await sql`delete from accounts`
  await sql`delete from mesh_notices`
  game = alertScenario(sql)
  operators = await game.account()
  await sql`update accounts set is_operators = true where id = ${operators}`
  chosen = await game.channel(operators)
})

const notice = (what: RegionNotice['what'], region = 'fra'): RegionNotice => ({
  region,
  what,
  since: new Date(game.clock.nowMs).toISOString(),
  text: `${region}: something is wrong`,
})
const look = (
  notices: readonly RegionNotice[],
  {
    heard = ['fra', 'iad'],
    operatorChannel = chosen,
  }: { heard?: string[]; operatorChannel?: string | null } = {},
) => notifyOperator({ ...game.context, operatorChannel }, { notices, heard })
const titles = () => game.titles(operators)

test('notifies the channel that the operator chose, and no other, once when a notice begins and once when it ends', async () => {
  const customer = await game.account()
  for (const accountId of [operators, customer]) {
    await game.rule(accountId)
    await game.channel(accountId)
  }
  const names = notice('names')
  await look([names])
  expect(await titles()).toEqual([])
  for (let looks = 0; looks < 4; looks++) {
    game.pass(minute)
    await look([names])
  }
  const [begun, ...more] = await game.deliveries(operators)
  expect(more).toEqual([])
  expect(begun?.channelId).toBe(chosen)
  expect(begun?.message).toMatchObject({
    event: 'alert',
    title: 'fra: something is wrong',
    text: expect.stringMatching(/^Since 12:00 UTC, 20 Nov\. .*resolver/),
    url: 'https://mesh.example.org/dashboard/mesh',
    alertKey: 'mesh:fra:names',
  })
  for (let looks = 0; looks < 4; looks++) {
    game.pass(minute)
    await look([])
  }
  const [, over, ...others] = await game.deliveries(operators)
  expect(others).toEqual([])
  expect(over?.message).toMatchObject({
    event: 'recovery',
    title: 'Resolved: fra: something is wrong',
    text: 'Started at 12:00 UTC, 20 Nov, resolved after 7 min.',
    alertKey: begun?.message.alertKey,
  })
  expect(await game.titles(customer)).toEqual([])
})

test('sends one message when several control planes look at the same time', async () => {
  await game.rule(operators)
  const quarantine = notice('quarantine')
  await Promise.all([1, 2, 3, 4].map(() => look([quarantine])))
  expect(await titles()).toEqual(['fra: something is wrong'])
})

test('ends no notice before any agent has reported', async () => {
  await game.rule(operators)
  await look([{ ...notice('clock'), since: '2026-11-20T11:00:00.000Z' }])
  for (let looks = 0; looks < 10; looks++) {
    game.pass(minute)
    await look([], { heard: [] })
  }
  expect(await titles()).toEqual(['fra: something is wrong'])
})

const everySentTo = async (): Promise<(string | null)[]> => {
  const rows = await sql<
    { to: string | null }[]
  >`select coalesce(channel_id::text, recipient) as to from deliveries`
  return rows.map(({ to }) => to)
}

test('sends nothing to rules, members and channels that the operator did not choose', async () => {
  await sql`insert into users (id, account_id, email, password_hash, created_at)
    values (${uuidv7(game.clock.nowMs)}, ${operators}, 'op@example.org', '', now())`
  const customer = await game.account()
  const theirs = await game.channel(customer)
  for (const accountId of [operators, customer]) await game.rule(accountId, { emailUsers: true })
  await game.channel(operators)
  await look([notice('quarantine')], { operatorChannel: null })
  expect(await everySentTo()).toEqual([])
  await sql`delete from mesh_notices`
  await look([notice('quarantine')], { operatorChannel: theirs })
  await sql`delete from mesh_notices`
  await look([notice('quarantine')], { operatorChannel: uuidv7(game.clock.nowMs) })
  expect(await everySentTo()).toEqual([])
  await sql`delete from mesh_notices`
  await look([notice('quarantine')])
  expect(await everySentTo()).toEqual([chosen])
})

test('an hour without internet is one message, and none to accounts', async () => {
  const customer = await game.account()
  await game.channel(customer)
  await game.rule(customer)
  await game.rule(operators)
  const regions = ['fra', 'iad', 'nrt', 'sjc']
  const startMs = game.clock.nowMs
  // the faults of the regions come and go by turns, as resolvers and networks time out
  const seenAt = (minutes: number): RegionNotice[] =>
    regions.flatMap((region, at) => {
      const turn = (minutes + at) % 7
      if (turn > 4) return []
      return [{ ...notice(turn < 3 ? 'names' : 'network', region), since: new Date(startMs).toISOString() }]
    })
  for (let minutes = 0; minutes < 60; minutes++) {
    for (let looks = 0; looks < 3; looks++) {
      await look(seenAt(minutes), { heard: regions })
      game.pass(minute / 3)
    }
  }
  expect(await everySentTo()).toEqual([chosen])
  const [begun] = await game.deliveries(operators)
  expect(begun?.message).toMatchObject({
    title: 'fra: something is wrong; also iad, nrt, sjc',
    facts: [{ name: 'Regions', value: 'fra, iad, nrt, sjc' }, { name: 'Since' }],
  })
})

test('shows a notice on the metrics of every control plane and sends it from one', async () => {
  await game.rule(operators)
  const seen = { notices: [notice('quarantine')], heard: ['fra'] }
  const registry = new Registry()
  const looked = vi.fn(async () => seen)
  const watch = { look: looked, registry, isOurs: () => false }
  const other = startNoticeWatcher({ ...game.context, ...watch, operatorChannel: chosen })
  await vi.waitFor(async () => {
    expect(await registry.metrics()).toContain('mesh_notices{region="fra",what="quarantine"} 1')
  })
  await other.close()
  expect(await titles()).toEqual([])
  const ours = { ...watch, registry: new Registry(), isOurs: () => true }
  const sender = startNoticeWatcher({ ...game.context, ...ours, operatorChannel: chosen })
  await vi.waitFor(async () => expect(await titles()).toEqual(['fra: something is wrong']))
  await sender.close()
})
