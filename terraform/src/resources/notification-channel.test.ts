import { useTestApp } from '@probe-mesh/control-plane/src/app/testing/test-app'
import { expect, test } from 'vitest'
import { toObject, unknown, type Value } from '../protocol/value.ts'
import { notificationChannel as channel } from './notification-channel.ts'
import { valueOf } from './settle.ts'
import { configOf, openAccount, planOf, stateOf } from './testing.ts'

const at = useTestApp()

const secret = 'https://discord.example.com/api/webhooks/1/the-credential'
const discord = (webhookUrl: Value = secret): Record<string, Value> => ({
  type: 'discord',
  name: 'ops',
  config: toObject([['webhookUrl', webhookUrl]]),
})

const form = (config: [string, Value][]): Record<string, Value> => ({
  type: 'json',
  name: 'ops',
  config: toObject(config),
})

const open = async () => {
  const own = await openAccount(at)
  const create = (said: Record<string, Value>) =>
    channel.create(own.api, planOf(channel, said, null).planned, own.context)
  const read = (...[state]: [Parameters<typeof channel.read>[1]]) =>
    channel.read(own.open(), state, own.context)
  return { ...own, create, read }
}

test('keeps the config of a channel as written, since the API never returns it', async () => {
  const own = await open()
  const state = stateOf(await own.create(discord()))
  expect(state).toMatchObject({ ...discord(), verified: false })
  const refreshed = stateOf(await own.read(state))
  expect(refreshed).toEqual(state)
  expect(planOf(channel, discord(), refreshed).changed).toEqual([])
  expect(planOf(channel, { ...discord(), type: 'teams' }, refreshed).replaces).toEqual(['type'])
})

test('an import is one update in place, which clears verified, and nothing after that', async () => {
  const own = await open()
  const { id } = stateOf(await own.create(discord()))
  await at.sql`update notification_channels set verified_at = now() where id = ${String(id)}`
  const imported = channel.importState(String(id))
  if (!('state' in imported)) throw new Error('refused')
  const prior = stateOf(await own.read(imported.state))
  expect(prior).toMatchObject({ type: 'discord', name: 'ops', config: null, verified: true })
  const plan = planOf(channel, discord(), prior)
  expect(plan).toMatchObject({ changed: ['config', 'verified'], replaces: [] })
  expect(valueOf(plan.planned, 'verified')).toBe(unknown)
  const state = stateOf(await channel.update(own.api, prior, plan.planned, own.context))
  expect(state).toMatchObject({ ...discord(), verified: false })
  expect(planOf(channel, discord(), stateOf(await own.read(state))).changed).toEqual([])
})

test('a name changes without the credential, and a key that is null was left out', async () => {
  const own = await open()
  const config = toObject([
    ['url', 'https://hooks.example.com/x'],
    ['secret', null],
  ])
  const said = { type: 'json', name: 'hook', config }
  const state = stateOf(await own.create(said))
  expect(state).toMatchObject(said)
  const { planned } = planOf(channel, { ...said, name: 'other' }, state)
  expect(stateOf(await channel.update(own.api, state, planned, own.context))).toMatchObject({
    name: 'other',
  })
  expect(own.calls.at(-1)).toMatchObject({ body: { name: 'other' } })
})

test('sends the form of a json channel and its keys', async () => {
  const own = await open()
  const said = form([
    ['form', 'telegram'],
    ['botToken', '123456:the-credential'],
    ['chatId', '-100123'],
  ])
  const state = stateOf(await own.create(said))
  expect(state).toMatchObject(said)
  expect(planOf(channel, said, stateOf(await own.read(state))).changed).toEqual([])
})

test('reports a refused config at its key, without the value', async () => {
  const own = await open()
  const { state, diagnostics } = await own.create(discord('http://10.0.0.1/the-credential'))
  expect(state).toBeNull()
  expect(diagnostics).toMatchObject([
    { path: ['config', { key: 'webhookUrl' }], summary: 'The channel was not created (SV-5001)' },
  ])
  const malformed = (await own.create(discord('the-credential'))).diagnostics
  expect(malformed).toMatchObject([{ path: ['config', { key: 'webhookUrl' }] }])
  expect(JSON.stringify([diagnostics, malformed])).not.toContain('the-credential')
})

test('plans to create a channel that is gone, and deletes it again without an error', async () => {
  const own = await open()
  const state = stateOf(await own.create(discord()))
  expect(await channel.remove(own.api, state, own.context)).toEqual([])
  expect(await channel.remove(own.api, state, own.context)).toEqual([])
  expect(await own.read(state)).toEqual({ state: null, diagnostics: [] })
})

test.each<[Record<string, Value>, readonly unknown[]]>([
  [discord(), []],
  [discord(unknown), []],
  [{ ...discord(), config: unknown }, []],
  [{ ...discord(), type: unknown }, []],
  [discord(null), [['config']]],
  [{ ...discord(), type: 'json' }, [['config', { key: 'webhookUrl' }], ['config']]],
  [
    form([
      ['form', 'slack'],
      ['webhookUrl', secret],
    ]),
    [],
  ],
  [
    form([
      ['form', 'pagerduty'],
      ['routingKey', 'short'],
    ]),
    [['config', { key: 'routingKey' }]],
  ],
  [
    form([
      ['form', 'telegram'],
      ['url', secret],
    ]),
    [['config', { key: 'url' }], ['config'], ['config']],
  ],
  [
    form([
      ['form', 'pigeon'],
      ['url', secret],
    ]),
    [['config', { key: 'form' }]],
  ],
  [
    form([
      ['form', unknown],
      ['url', secret],
    ]),
    [],
  ],
  [
    form([
      ['form', null],
      ['url', secret],
    ]),
    [],
  ],
])('of %j these are wrong: %j', async (said, paths) => {
  const problems = (await channel.validate?.(configOf(channel, said))) ?? []
  expect(problems.map(({ path }) => path)).toEqual(paths)
  expect(JSON.stringify(problems)).not.toContain('the-credential')
})
