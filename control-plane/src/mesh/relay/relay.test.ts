import { aReading, arrived, patience, until } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { silentLogger } from '@probe-mesh/bus/logger'
import type { Bus } from '@probe-mesh/bus/port'
import { openRelayBus } from '@probe-mesh/bus/relay/relay-bus'
import type { RunRequest } from '@probe-mesh/contracts/mesh/assignment'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { ReadingsMessage, type Reading } from '@probe-mesh/contracts/reading/reading'
import { privateRegion } from '@probe-mesh/contracts/reading/private-region'
import { nextSlot, slotPhase } from '@probe-mesh/contracts/reading/slots'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { resumeAccount, suspendAccount } from '../../login/suspend-account.ts'
import { ownerOf, type Owner } from '../../app/testing/pages.ts'
import { useTestApp } from '../../app/testing/test-app.ts'

/** Real private agents over HTTP, with a control plane and a bus. */

let url: string
let owner: Owner
let agentId: string
let region: string
let token: string
const opened: Bus[] = []

const at = useTestApp({ config: { budgetScale: 1_000 } })
beforeAll(async () => {
  url = await at.app.listen({ port: 0, host: '127.0.0.1' })
})
afterEach(async () => {
  for (const bus of opened.splice(0)) await bus.close()
})
beforeEach(async () => {
  owner = ownerOf(at, await at.account('scale'))
  const made = (await owner.post('/agents', { name: 'office' })).json
  token = made.token
  agentId = made.agent.id
  region = privateRegion(agentId)
})

const connect = (
  with_ = { token, region },
  more: Pick<Parameters<typeof openRelayBus>[0], 'instance' | 'admission'> = {},
): Bus => {
  const bus = openRelayBus({
    url,
    token: () => with_.token,
    region: with_.region,
    version: '1.2.3',
    log: silentLogger,
    random: () => 0.1,
    ...more,
  })
  opened.push(bus)
  return bus
}
const check = (name: string): Promise<string> =>
  owner.checkId({ name, url: 'http://10.0.0.1/', regions: [region], intervalSeconds: 60 })
/** Collects the messages to an agent. */
const watch = async (bus: Bus) => {
  const seen: string[] = []
  await bus.assignments.watch(region, {
    onPut: (assignment) => seen.push(`${assignment.checkId} ${assignment.revision}`),
    onRemove: (checkId) => seen.push(`- ${checkId}`),
    onCurrent: () => seen.push('current'),
  })
  return seen
}
const announce = (bus: Bus, onSuperseded = () => {}) =>
  vi.waitFor(
    () => bus.presence.announce({ agent: region, region, version: '1', startedAt: 1 }, onSuperseded),
    patience,
  )
const presence = async (): Promise<string> => (await owner.get('/agents')).json.agents[0].presence
const send = (bus: Bus, readings: Reading[], over: { agent?: string; messageId?: string } = {}) => {
  const [first] = readings
  const partition = partitionOf(first?.checkId ?? '')
  const agent = over.agent ?? region
  const message = { version: 1, agent, region: agent, partition, batch: 7, after: null, readings }
  const data = Buffer.from(JSON.stringify(message))
  const messageId = over.messageId ?? `${agent}:${partition}:7`
  return bus.readings.publish({ partition, region: agent, messageId, data })
}
const stored = async (partition: number): Promise<ReadingsMessage[]> => {
  const consumer = await at.bus.readings.consume(partition, 'assess')
  const bounds = {
    messagesMax: 1_000,
    bytesMax: 1e9,
    waitMs: 50,
    signal: new AbortController().signal,
  }
  const messages = await consumer.fetch(bounds)
  await consumer.close()
  return messages.map(({ data }) => ReadingsMessage.parse(JSON.parse(Buffer.from(data).toString())))
}

test('an agent gets its checks and their changes, and nothing of other accounts', async () => {
  const first = await check('a')
  const theirs = ownerOf(at, await at.account('scale'))
  await theirs.checkId({ name: 'theirs' })
  const bus = connect()
  const seen = await watch(bus)
  await arrived(seen, 2)
  expect(seen).toEqual([`${first} 1`, 'current'])
  const second = await check('b')
  await arrived(seen, 3)
  await owner.send('PATCH', `/checks/${first}/assertions`, { assertionStatusMin: 200 })
  await arrived(seen, 4)
  await owner.send('DELETE', `/checks/${second}`)
  await arrived(seen, 5)
  expect(seen.slice(2)).toEqual([`${second} 1`, `${first} 2`, `- ${second}`])
})

test('a check that moves to another agent leaves the former one', async () => {
  const id = await check('a')
  const other = (await owner.post('/agents', { name: 'other' })).json
  const there = connect({ token: other.token, region: other.agent.region })
  const [here, elsewhere] = [await watch(connect()), await watch(there)]
  await arrived(here, 2)
  await arrived(elsewhere, 1)
  await owner.send('PATCH', `/checks/${id}`, { regions: [other.agent.region] })
  await arrived(here, 3)
  await arrived(elsewhere, 2)
  expect([here.at(-1), elsewhere.at(-1)]).toEqual([`- ${id}`, `${id} 2`])
})

test('its readings are published, and readings of other checks are not', async () => {
  const id = await check('a')
  const bus = connect()
  await announce(bus)
  const others = await owner.checkId({ name: 'public', regions: ['fra'] })
  const slot = nextSlot(slotPhase(id, region, 60_000), 60_000, at.now())
  const own = aReading({ checkId: id, region, slot })
  const forged = [
    aReading({ checkId: others, region }),
    aReading({ checkId: id, region: 'fra' }),
    aReading({ region }),
  ]
  const before = (await stored(partitionOf(id))).length
  await send(bus, [own, ...forged])
  const messages = (await stored(partitionOf(id))).slice(before)
  expect(messages).toMatchObject([{ agent: region, region, readings: [own] }])
})

test.each(['fra-1', 'private-0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'])(
  'it cannot act as %s, or use a message id of another agent',
  async (name) => {
    const bus = connect()
    await announce(bus)
    const reading = aReading({ checkId: await check('a'), region })
    await expect(send(bus, [reading], { agent: name })).rejects.toThrow('SV-2001')
    await expect(send(bus, [reading], { messageId: `${name}:0:7` })).rejects.toThrow('SV-2001')
  },
)

test('it learns which of its batches are stored', async () => {
  const bus = connect()
  const marks: string[] = []
  await bus.persisted.watch(region, region, (partition, batch) => marks.push(`${partition}:${batch}`))
  await announce(bus)
  await at.bus.persisted.mark(region, region, 3, 8)
  await arrived(marks, 1)
  expect(marks).toEqual(['3:8'])
})

test('a manual run reaches it, and its answer reaches the requester', async () => {
  const id = await check('a')
  const bus = connect()
  const reading = aReading({ checkId: id, region, kind: 'manual' })
  const asked: RunRequest[] = []
  await bus.runs.serve(region, async (request) => {
    asked.push(request)
    return { agent: region, reading }
  })
  const seen = await watch(bus)
  await until(() => seen.includes('current'))
  const run = await owner.post(`/checks/${id}/run`)
  expect(run.json).toMatchObject({ readings: [{ region, agent: region }], unanswered: [] })
  expect(asked).toMatchObject([{ kind: 'manual', assignment: { checkId: id, region } }])
})

test('it is online while it reports, and silent afterwards', async () => {
  expect(await presence()).toBe('never')
  const bus = connect()
  await announce(bus)
  expect(await presence()).toBe('present')
  expect((await owner.get('/agents')).json.agents).toMatchObject([{ version: '1.2.3' }])
  at.pass(31_000)
  expect(await presence()).toBe('away')
})

test('a revoked agent is disconnected at once, and cannot return', async () => {
  const bus = connect()
  await announce(bus)
  await owner.send('DELETE', `/agents/${agentId}`)
  await vi.waitFor(async () => {
    await expect(bus.presence.list(region)).rejects.toMatchObject({ name: 'BusUnavailable' })
  }, patience)
  await expect(send(bus, [aReading({ region })])).rejects.toMatchObject({ name: 'BusUnavailable' })
  const answer = await at.call('POST', '/relay/presence', { key: token, body: {} })
  expect(answer).toMatchObject({ status: 401, json: { code: 'SV-1002' } })
})

test('a rotated token is disconnected, and the agent continues with the new one', async () => {
  const held = { token, region }
  const bus = connect(held)
  await announce(bus)
  const rotated = (await owner.post(`/agents/${agentId}/rotate`)).json
  const refused = await at.call('POST', '/relay/presence', { key: token, body: {} })
  expect(refused.status).toBe(401)
  held.token = rotated.token
  await announce(bus)
  expect(await presence()).toBe('present')
})

test('a second installation with the same token takes over, and the first is notified', async () => {
  const told: string[] = []
  const first = connect()
  await announce(first, () => told.push('first'))
  await announce(connect(), () => told.push('second'))
  await until(() => told.length > 0)
  expect(told).toEqual(['first'])
})

test.each([
  ['no token', {}, 'SV-1001'],
  ['a key of the account', { key: 'sv_rw_0' }, 'SV-1002'],
  ['a token that was made up', { key: `sv_a_${'0'.repeat(32)}_${'a'.repeat(49)}` }, 'SV-1002'],
])('%s gives no access', async (_, how, code) => {
  for (const path of ['stream', 'presence', 'readings', `runs/${crypto.randomUUID()}`]) {
    const answer = await at.call('POST', `/relay/${path}`, { ...how, body: {} })
    expect(answer).toMatchObject({ status: 401, json: { code } })
  }
})

test("an agent's token is not an API key: it cannot read the account", async () => {
  for (const path of ['/v1/me', '/v1/checks', '/v1/agents', '/v1/events']) {
    expect(await at.call('GET', path, { key: token })).toMatchObject({ status: 401 })
  }
})

test('measurements of a private agent are not public', async () => {
  await check('a')
  await announce(connect())
  for (const path of ['services', 'weather', 'internet', 'services/github/readings']) {
    const { text } = await at.call('GET', `/v1/public/${path}`)
    expect(text).not.toContain(agentId)
  }
})

test('another installation with a token waits until the first is silent; a restart of the first does not', async () => {
  let ends = 0
  const first = connect(undefined, { instance: 'a@one' })
  // like the process
  await announce(first, () => {
    ends++
    void first.close()
  })
  const heard: string[] = []
  const admission = {
    onRefused: ({ how }: { how: string }) => heard.push(how),
    onLetIn: () => heard.push('let in'),
  }
  connect(undefined, { instance: 'b@two', admission })
  await arrived(heard, 2)
  expect([new Set(heard), ends]).toEqual([new Set(['held']), 0])
  const restarted = connect(undefined, { instance: 'a@one' })
  await announce(restarted)
  await vi.waitFor(() => expect(ends).toBe(1), patience)
  await restarted.close()
  at.pass(20_001)
  await vi.waitFor(() => expect(heard).toContain('let in'), patience)
})

test('an agent learns the offset of its clock from the answers', async () => {
  const bus = connect()
  expect(await bus.clock.read(region, region, Date.now)).toBe(null)
  await announce(bus)
  const sample = await bus.clock.read(region, region, Date.now)
  const aheadMs = Date.now() - at.now()
  expect(sample?.isAgreed).toBe(true)
  expect(Math.abs((sample?.aheadMs ?? 0) - aheadMs)).toBeLessThanOrEqual((sample?.errorMs ?? 0) + 100)
  // a metric sample is read once and does not update
  expect(await bus.clock.read(region, region, Date.now)).toBe(null)
})

test('an agent with a revoked token gets the reason, and retries less and less often', async () => {
  const heard: string[] = []
  const admission = {
    onRefused: ({ how }: { how: string }) => heard.push(how),
    onLetIn: () => heard.push('let in'),
  }
  await announce(connect(undefined, { admission }))
  await owner.send('DELETE', `/agents/${agentId}`)
  await arrived(heard, 4)
  expect(heard.slice(0, 4)).toEqual(['let in', 'refused', 'refused', 'revoked'])
})

test('an agent of a suspended account loses checks and connection, and gets them back afterwards', async () => {
  const account = await at.account('scale')
  const own = ownerOf(at, account)
  const made = (await own.post('/agents', { name: 'office' })).json
  const of = { token: made.token as string, region: privateRegion(made.agent.id) }
  const id = await own.checkId({
    url: 'http://10.0.0.1/',
    regions: [of.region],
    intervalSeconds: 60,
  })
  const seen: string[] = []
  await connect(of).assignments.watch(of.region, {
    onPut: (assignment) => seen.push(`${assignment.checkId} ${assignment.revision}`),
    onRemove: (checkId) => seen.push(`- ${checkId}`),
    onCurrent: () => seen.push('current'),
  })
  await arrived(seen, 2)
  const feeds = async () =>
    (await at.call('GET', '/metrics')).text.match(/pool_taken\{pool="relayStreams"\} (\d+)/)?.[1]
  const before = Number(await feeds())
  const act = { sql: at.sql, now: at.now }
  await suspendAccount(act, { accountId: account.id })
  await vi.waitFor(() => expect(seen.at(-1)).toBe(`- ${id}`), patience)
  await vi.waitFor(async () => expect(Number(await feeds())).toBe(before - 1), patience)
  await resumeAccount(act, { accountId: account.id })
  await vi.waitFor(() => expect(seen).toContain(`${id} 3`), patience)
})
