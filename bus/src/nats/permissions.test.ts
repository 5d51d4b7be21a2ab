import { errors } from '@nats-io/nats-core'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { beforeAll, expect, test, vi } from 'vitest'
import { aReading, anAssignment, arrived, patience } from '../contract-suite/fixtures.ts'
import { openLateBus } from '../late-bus.ts'
import { silentLogger } from '../logger.ts'
import { openNatsBus } from './nats-bus.ts'
import { startMeshNats } from './testing.ts'

const api = '$JS.mesh.API'
const here = anAssignment({ region: 'fra' })
const there = anAssignment({ region: 'iad' })
const nothing = { onPut: () => undefined, onRemove: () => undefined, onCurrent: () => undefined }

const mesh = useOnce(() => startMeshNats(['fra', 'iad']))
const control = useOnce(() => mesh.openControlPlane())
const fra = useOnce(() => mesh.openAgent('fra'))
/** A raw connection with the credentials of fra. */
const raw = useOnce(() => mesh.connectAs('fra'))
const admin = useOnce(() => mesh.connectAs('control-plane'))
beforeAll(async () => {
  await control.assignments.put(here)
  await control.assignments.put(there)
})

const violation = { name: 'PermissionViolationError' }
const publish = (region: string, messageId: string, bus = fra) =>
  bus.readings.publish({ partition: 0, region, messageId, data: Buffer.from(messageId) })

/** The number of messages per subject of a stream, to detect added or removed ones. */
const held = async (stream: string): Promise<unknown> => {
  const query = JSON.stringify({ subjects_filter: '>' })
  const reply = await admin.request(`$JS.API.STREAM.INFO.${stream}`, query)
  const { state, config } = reply.json<{ state: Record<string, unknown>; config: unknown }>()
  return {
    messages: state['messages'],
    first: state['first_seq'],
    subjects: state['subjects'],
    config,
  }
}
const streams = [
  'READINGS',
  'ERRORS',
  ...['fra', 'iad'].flatMap((region) => [
    `KV_assignments_${region}`,
    `KV_persisted_${region}`,
    `KV_agents_${region}`,
  ]),
]
const heldByAll = () => Promise.all(streams.map(held))

test.each<[string, () => Promise<unknown>]>([
  ['publish readings of another region', () => publish('iad', 'forged')],
  [
    'announce itself in another region',
    () => fra.presence.announce({ agent: 'a', region: 'iad', version: '1', startedAt: 1 }),
  ],
  ['list the agents of another region', () => fra.presence.list('iad')],
  ['watch the assignments of another region', () => fra.assignments.watch('iad', nothing)],
  ['list the assignments of another region', () => fra.assignments.held('iad')],
  ['watch the marks of another region', () => fra.persisted.watch('iad', 'a', () => undefined)],
  ['set marks', () => fra.persisted.mark('fra', 'a', 0, 1)],
  [
    'serve the runs of another region',
    () => fra.runs.serve('iad', async () => ({ agent: 'a', error: 'busy' })),
  ],
  [
    'ask for runs',
    () => fra.runs.request('fra', { kind: 'manual', at: 1, number: 1, assignment: here }, 60_000),
  ],
  ['put assignments of its own region', () => fra.assignments.put({ ...here, revision: 2 })],
  ['remove assignments of its own region', () => fra.assignments.remove('fra', here.checkId)],
  ['consume readings', () => fra.readings.consume(0, 'ingest')],
  ['replay readings', () => fra.readings.replay(0, 1, 1)],
  [
    'publish error events',
    () => fra.errors.publish({ partition: 0, messageId: 'e', data: Buffer.from('e') }),
  ],
  ['consume error events', () => fra.errors.consume(0, 'persist')],
  ['subscribe to events', () => fra.events.subscribe('flip', () => undefined)],
])('refuses an agent that tries to %s, and nothing changes', async (_, attempt) => {
  const before = await heldByAll()
  await expect(attempt()).rejects.toMatchObject(violation)
  expect(await heldByAll()).toEqual(before)
})

test.each([
  `${api}.STREAM.PURGE.READINGS`,
  `${api}.STREAM.MSG.GET.ERRORS`,
  'mesh.errors.0',
  `${api}.STREAM.PURGE.KV_assignments_fra`,
  `${api}.STREAM.DELETE.KV_assignments_fra`,
  `${api}.STREAM.CREATE.OTHER`,
  `${api}.STREAM.UPDATE.READINGS`,
  `${api}.STREAM.INFO.READINGS`,
  `${api}.STREAM.MSG.DELETE.READINGS`,
  `${api}.STREAM.MSG.GET.READINGS`,
  `${api}.STREAM.MSG.GET.KV_assignments_iad`,
  `${api}.DIRECT.GET.KV_assignments_iad`,
  `${api}.CONSUMER.CREATE.READINGS.x.mesh.readings.*.fra`,
  `${api}.CONSUMER.CREATE.KV_assignments_fra.x`,
  `${api}.CONSUMER.CREATE.KV_assignments_iad.x.$KV.assignments_iad.>`,
  `${api}.CONSUMER.MSG.NEXT.READINGS.ingest-0`,
  `${api}.CONSUMER.DELETE.READINGS.ingest-0`,
  '$JS.API.STREAM.PURGE.READINGS',
  '$JS.API.STREAM.NAMES',
  '$JS.ACK.READINGS.ingest-0.1.1.1.0.0',
  '$KV.assignments_fra.x',
  '$KV.agents_iad.x',
  'mesh.events.flip',
  '_INBOX_control.x',
])('an agent may not publish to %s', async (subject) => {
  const before = await heldByAll()
  const refused = await raw.request(subject, '{}', { timeout: 5_000 }).catch((error: unknown) => error)
  expect(refused).toMatchObject({ cause: violation })
  expect(await heldByAll()).toEqual(before)
})

test.each([
  ['mesh.events.>', undefined],
  ['_INBOX.>', undefined],
  ['_INBOX_iad.>', undefined],
  ['_INBOX_control.>', undefined],
  ['mesh.readings.*.fra', undefined],
  ['mesh.run.iad', 'agents'],
  ['mesh.run.fra', undefined],
  ['mesh.run.fra', 'spies'],
  ['>', undefined],
])('an agent may not subscribe to %s in the queue %s', async (subject, queue) => {
  const errorsSeen: unknown[] = []
  raw.subscribe(subject, {
    ...(queue === undefined ? {} : { queue }),
    callback: (error) => {
      errorsSeen.push(error)
    },
  })
  await raw.flush()
  expect(errorsSeen).toEqual([expect.any(errors.PermissionViolationError)])
})

/** The server itself publishes replies and deliveries, without the limits of a client. */
test.each([
  '$JS.API.STREAM.PURGE.READINGS',
  '$JS.API.STREAM.MSG.DELETE.READINGS',
  '$JS.API.STREAM.PURGE.KV_assignments_iad',
  '$JS.API.STREAM.PURGE.KV_assignments_fra',
  `$KV.assignments_iad.${there.checkId}`,
  `$KV.assignments_fra.${here.checkId}`,
  '$KV.persisted_iad.a.0',
  'mesh.readings.0.iad',
])('what an agent may not publish to %s, it cannot have the server say there', async (subject) => {
  await publish('fra', 'kept')
  await publish('fra', `in ${subject}`)
  const name = subject.replaceAll(/\W/g, '_')
  const filter = '$KV.assignments_fra.>'
  const config = {
    name,
    deliver_subject: subject,
    deliver_policy: 'all',
    ack_policy: 'none',
    filter_subject: filter,
  }
  const create = JSON.stringify({ stream_name: 'KV_assignments_fra', config })
  await raw.request(`${api}.CONSUMER.CREATE.KV_assignments_fra.${name}.${filter}`, create)
  raw.publish(`${api}.$KV.agents_fra.x`, '{}')
  await raw.flush()
  const before = await heldByAll()
  const query = JSON.stringify({ last_by_subj: '$KV.agents_fra.x' })
  raw.publish(`${api}.STREAM.INFO.KV_agents_fra`, '', { reply: subject })
  raw.publish(`${api}.STREAM.MSG.GET.KV_agents_fra`, query, { reply: subject })
  raw.publish(`${api}.$KV.agents_fra.x`, '{}', { reply: subject })
  raw.publish('mesh.readings.0.fra', 'more', { reply: subject })
  await raw.flush()
  // after them on the same connection, so that their effects are complete
  await publish('fra', `after ${subject}`)
  await raw.request(`${api}.STREAM.INFO.KV_agents_fra`)
  const after = await heldByAll()
  const others = (all: unknown[]) =>
    all.filter((_, index) => !/READINGS|agents_fra/.test(streams[index] ?? ''))
  expect(others(after)).toEqual(others(before))
  expect(await held('READINGS')).toMatchObject({
    first: 1,
    subjects: { 'mesh.readings.0.fra': expect.any(Number) },
  })
  expect(await held('READINGS')).not.toHaveProperty(['subjects', 'mesh.readings.0.iad'])
})

/** A server notes each reply subject for a holder who may use whatever it receives, those of deliveries too. */
test.each([
  ['an agent', raw, '_INBOX_fra.taken', api],
  ['a control plane', admin, '_INBOX_control.taken', '$JS.API'],
])('%s may not reply to what a stream delivers', async (_, connection, inbox, prefix) => {
  const filter = '$KV.assignments_fra.>'
  const config = { deliver_subject: inbox, deliver_policy: 'all', ack_policy: 'none', filter_subject: filter }
  const name = inbox.replaceAll('.', '_')
  const delivered = Promise.withResolvers<string>()
  connection.subscribe(inbox, { max: 1, callback: (_, message) => delivered.resolve(message.reply ?? '') })
  const create = JSON.stringify({ stream_name: 'KV_assignments_fra', config: { ...config, name } })
  await connection.request(`${prefix}.CONSUMER.CREATE.KV_assignments_fra.${name}.${filter}`, create)
  const reply = await delivered.promise
  expect(reply).toContain('$JS.ACK.KV_assignments_fra')
  const refused = await connection.request(reply, '', { timeout: 5_000 }).catch((error: unknown) => error)
  expect(refused).toMatchObject({ cause: violation })
})

test('refuses a connection without credentials instead of letting it wait', async () => {
  const open = openNatsBus({ servers: [mesh.server.url], name: 'stranger' })
  await expect(open).rejects.toMatchObject({ name: 'AuthorizationError' })
})

test('an agent that connected late continues after an outage', async () => {
  const late = openLateBus({ open: () => mesh.openAgent('iad'), log: silentLogger })
  await vi.waitFor(() => expect(late.isOpen()).toBe(true), patience)
  const seen: string[] = []
  await late.assignments.watch('iad', { ...nothing, onPut: ({ checkId }) => seen.push(checkId) })
  await late.runs.serve('iad', async () => ({ agent: 'late', reading: aReading() }))
  await arrived(seen, 1)
  const returned: string[] = []
  late.onReturn(() => returned.push('back'))
  await mesh.server.kill()
  await mesh.server.start()
  await arrived(returned, 1)
  const added = anAssignment({ region: 'iad' })
  await vi.waitFor(() => control.assignments.put(added), patience)
  await arrived(seen, 2)
  expect(seen).toEqual([there.checkId, added.checkId])
  await publish('iad', 'late', late)
  const request = { kind: 'manual', at: 1, number: 1, assignment: added } as const
  await vi.waitFor(async () => {
    expect(await control.runs.request('iad', request, 5_000)).toMatchObject({ agent: 'late' })
  }, patience)
  await late.close()
})
