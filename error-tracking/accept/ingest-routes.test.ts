import { randomBytes } from 'node:crypto'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { errorPartitions } from '@probe-mesh/contracts/mesh/subjects'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { decodeErrorsMessage, type ErrorsMessage } from '../events/errors-message.ts'
import { sharesOfAddress, sharesOfProject } from '../events/event-shares.ts'
import { monthOf } from '../events/quota.ts'
import { insertTestErrorProject } from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { useTestApp } from '@probe-mesh/control-plane/src/app/testing/test-app'

const perSecond = 20
const quota = 100
const tiers = { ...tiersDefault, free: { ...tiersDefault.free, errorEventsPerMonth: quota } }

let accountId: string
let project: { id: string; number: string; key: string }
const at = useTestApp({ config: { tiers }, errorEventsPerSecond: perSecond })
beforeAll(async () => {
  accountId = (await at.account('free')).id
})
beforeEach(async () => {
  project = await newProject()
})

const newProject = async () => {
  const id = await insertTestErrorProject(at.sql, accountId)
  const [row] = await at.sql<{ number: string; public_key: string }[]>`
    select number, public_key from error_projects p join error_keys k on k.project_id = p.id
    where p.id = ${id}`
  if (row === undefined) throw new Error('no project')
  return { id, number: row.number, key: row.public_key }
}
const newId = () => randomBytes(16).toString('hex')
const anEvent = (eventId = newId()) => ({
  event_id: eventId,
  message: 'it broke',
  platform: 'node',
  level: 'error',
  user: { email: 'someone@example.com' },
})
type Item = [type: string, payload: unknown]
const envelopeOf = (items: readonly Item[], header: object = {}): string =>
  [
    JSON.stringify(header),
    ...items.flatMap(([type, payload]) => [
      JSON.stringify({ type }),
      typeof payload === 'string' ? payload : JSON.stringify(payload),
    ]),
  ].join('\n')

const post = async (
  body: string | Buffer,
  options: {
    headers?: Record<string, string>
    query?: string
    kind?: string
    number?: string
    from?: string
  } = {},
) => {
  const { headers = { 'x-sentry-auth': `Sentry sentry_version=7, sentry_key=${project.key}` } } = options
  const { kind = 'envelope', number = project.number, query = '' } = options
  const response = await at.app.inject({
    method: 'POST',
    url: `/api/${number}/${kind}/${query}`,
    headers: { 'content-type': 'application/x-sentry-envelope', ...headers },
    payload: body,
    ...(options.from === undefined ? {} : { remoteAddress: options.from }),
  })
  return {
    status: response.statusCode,
    json: JSON.parse(response.body) as Record<string, unknown>,
    headers: response.headers,
  }
}
/** The project's messages on the stream, oldest first. */
const onStream = async (): Promise<ErrorsMessage[]> => {
  const signal = new AbortController().signal
  const messages: ErrorsMessage[] = []
  for (const partition of errorPartitions) {
    const consumer = await at.bus.errors.consume(partition, 'persist')
    const bounds = { messagesMax: 10_000, bytesMax: 100_000_000, waitMs: 0, signal }
    for (const { data } of await consumer.fetch(bounds)) {
      const message = decodeErrorsMessage(data)
      if ('problem' in message) throw new Error(message.problem)
      const of = message.kind === 'event' ? message.event.projectId : message.projectId
      if (of === project.id) messages.push(message)
    }
    await consumer.close()
  }
  return messages
}
const counted = async () => {
  const messages = await onStream()
  const drops: Record<string, number> = {}
  for (const message of messages) {
    if (message.kind !== 'tally') continue
    for (const [reason, events] of Object.entries(message.drops)) {
      drops[reason] = (drops[reason] ?? 0) + events
    }
  }
  return { events: messages.filter(({ kind }) => kind === 'event').length, drops }
}

test('publishes a scrubbed event before it answers with the id', async () => {
  const event = anEvent()
  const { status, json } = await post(envelopeOf([['event', event]], { event_id: event.event_id }))
  expect({ status, json }).toEqual({ status: 200, json: { id: event.event_id } })
  const [message] = await onStream()
  expect(message).toMatchObject({
    kind: 'event',
    event: { eventId: event.event_id, projectId: project.id, message: 'it broke' },
  })
  expect(JSON.stringify(message)).not.toContain('someone@example.com')
})

test.each<[string, (body: string) => Buffer]>([
  ['gzip', (body) => gzipSync(body)],
  ['deflate', (body) => deflateSync(body)],
  ['br', (body) => brotliCompressSync(body)],
  ['zstd', (body) => zstdCompressSync(body)],
])('accepts a body compressed with %s', async (encoding, pack) => {
  const auth = { 'x-sentry-auth': `Sentry sentry_key=${project.key}` }
  const body = pack(envelopeOf([['event', anEvent()]]))
  const headers = { ...auth, 'content-encoding': encoding }
  expect((await post(body, { headers })).status).toBe(200)
  expect(await counted()).toEqual({ events: 1, drops: {} })
  expect((await post(Buffer.from('garbage'), { headers })).status).toBe(400)
  expect(await counted()).toEqual({ events: 1, drops: { invalid: 1 } })
})

test('accepts a key only in the query, a header or the DSN of the envelope', async () => {
  const body = envelopeOf([['event', anEvent()]])
  const none = { headers: {} }
  expect((await post(body, none)).status).toBe(401)
  expect((await post(body, { ...none, query: `?sentry_key=${project.key}` })).status).toBe(200)
  const dsn = `https://${project.key}@errors.example.com/${project.number}`
  expect((await post(envelopeOf([['event', anEvent()]], { dsn }), none)).status).toBe(200)
  const stored = { ...none, kind: 'store', query: `?sentry_key=${project.key}` }
  expect((await post(JSON.stringify(anEvent()), stored)).status).toBe(200)
  const unknown = { headers: {}, query: `?sentry_key=${'0'.repeat(32)}` }
  expect((await post(body, unknown)).status).toBe(403)
  const other = await newProject()
  expect((await post(body, { number: other.number })).status).toBe(403)
  await at.sql`update error_keys set revoked_at = now() where public_key = ${project.key}`
  await vi.waitFor(async () => expect((await post(body)).status).toBe(403))
})

test('answers 413 to bodies that are too large before or after decompression, and counts them', async () => {
  const headers = { 'x-sentry-auth': `Sentry sentry_key=${project.key}` }
  const large = envelopeOf([['event', { ...anEvent(), message: 'x'.repeat(1024 * 1024) }]])
  const packed = { ...headers, 'content-encoding': 'gzip' }
  expect((await post(large, { headers })).status).toBe(413)
  expect((await post(gzipSync(large), { headers: packed })).status).toBe(413)
  expect((await post(randomBytes(200 * 1024 + 1), { headers: packed })).status).toBe(413)
  expect(await counted()).toEqual({ events: 0, drops: { size: 3 } })
})

test('counts an envelope item by item and drops only the broken items', async () => {
  const discarded_events = [{ reason: 'queue_overflow', category: 'error', quantity: 4 }]
  const items: Item[] = [
    ['session', {}],
    ['transaction', {}],
    ['session', {}],
    ['strange', {}],
    ['client_report', { timestamp: 1, discarded_events }],
  ]
  expect(await post(envelopeOf(items))).toMatchObject({ status: 200, json: {} })
  expect(await onStream()).toMatchObject([
    {
      drops: {},
      reports: [{ reason: 'queue_overflow', category: 'error', quantity: 4 }],
      unsupported: { session: 2, transaction: 1, other: 1 },
    },
  ])
  expect((await post(envelopeOf([['event', '{"not an event']]))).status).toBe(400)
  expect((await post('no envelope')).status).toBe(400)
  expect(await counted()).toEqual({ events: 0, drops: { invalid: 2 } })
})

test('answers 429 with the full header above the rate limit of one project', async () => {
  at.hold()
  const statuses: number[] = []
  for (let n = 0; n < perSecond + 2; n++) {
    const { status, headers } = await post(envelopeOf([['event', anEvent()]]))
    statuses.push(status)
    if (status !== 429) continue
    expect(headers['x-sentry-rate-limits']).toBe('1:error:project:rate_limited')
    expect(headers['retry-after']).toBe('1')
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(perSecond)
  expect(await counted()).toEqual({ events: perSecond, drops: { rate: 2 } })
  project = await newProject()
  expect((await post(envelopeOf([['event', anEvent()]]))).status).toBe(200)
})

test('a flood from one address uses a small share of the monthly quota and gets a wait time', async () => {
  const own = await at.account('growth')
  const id = await insertTestErrorProject(at.sql, own.id)
  const [row] = await at.sql<{ number: string; key: string }[]>`
    select number, public_key as key from error_projects p join error_keys k on k.project_id = p.id
    where p.id = ${id}`
  if (row === undefined) throw new Error('no project')
  project = { id, ...row }
  const share = sharesOfAddress(sharesOfProject(tiers.growth.errorEventsPerMonth))
  const item: Item[] = Array.from({ length: perSecond }, () => ['event', anEvent()])
  at.hold()
  // the share is for a minute of the clock, and the flood stays within one
  at.pass(60_000 - (at.now() % 60_000))
  let sent = 0
  let last: Awaited<ReturnType<typeof post>> | null = null
  for (; sent < share.minute + 5 * perSecond; sent += perSecond) {
    at.pass(1_000)
    last = await post(envelopeOf(item.map(([type]) => [type, anEvent()])))
  }
  const { events, drops } = await counted()
  expect(events).toBeLessThanOrEqual(share.minute)
  expect(events + sumOf(drops)).toBe(sent)
  expect(Object.keys(drops)).toEqual(['rate'])
  expect(last?.status).toBe(429)
  const [, seconds] =
    /^(\d+):error:project:rate_limited$/.exec(String(last?.headers['x-sentry-rate-limits'])) ?? []
  expect(Number(seconds)).toBeGreaterThan(0)
  expect(last?.headers['retry-after']).toBe(seconds)
  expect(await at.registry.metrics()).toContain('error_events_limited_total{limit="share"}')
})

test('the addresses of a /48 network share the limit of one address', async () => {
  const share = sharesOfAddress(sharesOfProject(tiers.free.errorEventsPerMonth))
  at.hold()
  at.pass(60_000 - (at.now() % 60_000))
  const send = (from: string) => post(envelopeOf([['event', anEvent()]]), { from })
  const statuses: number[] = []
  for (let n = 0; n < share.minute + 5; n += 1) {
    at.pass(500)
    statuses.push((await send(`2001:db8:9:${n}::1`)).status)
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(share.minute)
  expect((await send('2001:db8:a::1')).status).toBe(200)
})

test('stores deep, wide and long events truncated, marked and without secrets', async () => {
  const secret = 'hunter2Zq'
  const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, 'http://a:b@c']))
  const deep = `${'{"a":'.repeat(90_000)}{"password":"${secret}"}${'}'.repeat(90_000)}`
  const bodies = [
    JSON.stringify({
      ...anEvent(),
      extra: { first: { password: secret }, ...wide, token: secret },
    }),
    JSON.stringify(anEvent()).replace(/}$/, `,"extra":{"password":"${secret}","deep":${deep}}}`),
    JSON.stringify({
      ...anEvent(),
      message: `password=${secret} ${'long '.repeat(150_000)} ${secret}`,
    }),
  ]
  for (const body of bodies) {
    const packed = { headers: { 'x-sentry-auth': `Sentry sentry_key=${project.key}` } }
    expect((await post(envelopeOf([['event', body]]), packed)).status).toBe(200)
  }
  const messages = await onStream()
  expect(messages).toHaveLength(3)
  for (const message of messages) {
    const text = JSON.stringify(message)
    expect(text).toMatch(/\[cut: /)
    expect(text).toContain('[removed: password]')
    expect(text).not.toContain(secret)
    expect(message).toMatchObject({ event: { context: { truncated: [expect.any(String)] } } })
  }
})

test('answers 503 while the stream is unavailable and counts the event later', async () => {
  const publish = vi.spyOn(at.bus.errors, 'publish').mockRejectedValue(new Error('away'))
  const { status, headers } = await post(envelopeOf([['event', anEvent()]]))
  expect(status).toBe(503)
  expect(headers['retry-after']).toBe('5')
  expect(headers['x-sentry-rate-limits']).toBe('5:error:project:unavailable')
  // an invalid event gets a 503 too, because its count is not published
  expect((await post(envelopeOf([['event', '{"broken']]))).status).toBe(503)
  publish.mockRestore()
  const drops = { store: 1, invalid: 1 }
  await vi.waitFor(async () => expect(await counted()).toEqual({ events: 0, drops }))
})

test('accepts preflights and reports from any origin', async () => {
  const preflight = await at.app.inject({
    method: 'OPTIONS',
    url: `/api/${project.number}/envelope/?sentry_key=${project.key}`,
    headers: { origin: 'https://shop.example.com', 'access-control-request-method': 'POST' },
  })
  expect(preflight.statusCode).toBe(204)
  expect(preflight.headers['access-control-allow-origin']).toBe('*')
  const { headers } = await post(envelopeOf([['event', anEvent()]]), {
    headers: { 'content-type': 'text/plain;charset=UTF-8' },
    query: `?sentry_key=${project.key}`,
  })
  expect(headers['access-control-allow-origin']).toBe('*')
  expect(headers['access-control-allow-credentials']).toBeUndefined()
  expect(headers['access-control-expose-headers']).toContain('X-Sentry-Rate-Limits')
})

const sumOf = (drops: Record<string, number>) => Object.values(drops).reduce((sum, events) => sum + events, 0)

test('answers 200 to filtered events and counts each received event once', async () => {
  let sent = 0
  const send = async (message: unknown) => {
    sent += 1
    const event = { ...anEvent(), message }
    const { status, json } = await post(envelopeOf([['event', event]]))
    return { status, isOwn: json['id'] === event.event_id }
  }
  const accepted = { status: 200, isOwn: true }
  expect(await send('a timeout')).toEqual(accepted)
  expect(await counted()).toEqual({ events: 1, drops: {} })
  await at.sql`
    update error_projects set filter_messages = ${['*timeout*', 'x']} where id = ${project.id}`
  // the notification of Postgres updates the key cache
  await vi.waitFor(async () => {
    expect(await send('a timeout')).toEqual(accepted)
    expect((await counted()).drops['filtered']).toBe(1)
  })
  const before = await counted()
  const expected = [accepted, accepted, accepted]
  expect([await send('X'), await send('xx'), await send(undefined)]).toEqual(expected)
  expect((await post(envelopeOf([['event', '{"not an event']]))).status).toBe(400)
  sent += 1
  const after = await counted()
  expect(after.events).toBe(before.events + 2)
  expect(after.drops).toMatchObject({ filtered: 2, invalid: 1 })
  expect(after.events + sumOf(after.drops)).toBe(sent)
  const seen = JSON.stringify(await onStream())
  expect(seen.match(/"message":"a timeout"/g)).toHaveLength(before.events)
  await at.sql`update error_projects set filter_messages = '{}' where id = ${project.id}`
  await vi.waitFor(async () => {
    expect(await send('x')).toEqual(accepted)
    expect((await counted()).events).toBe(after.events + 1)
  })
})

test('answers 503 to a filtered event while the stream is unavailable', async () => {
  await at.sql`update error_projects set filter_messages = '{*}' where id = ${project.id}`
  await vi.waitFor(async () => {
    // after an answer of 200 every earlier count is on the stream
    expect((await post(envelopeOf([['event', anEvent()]]))).status).toBe(200)
    expect((await counted()).drops['filtered']).toBeGreaterThan(0)
  })
  const { drops } = await counted()
  const publish = vi.spyOn(at.bus.errors, 'publish').mockRejectedValue(new Error('away'))
  expect((await post(envelopeOf([['event', anEvent()]]))).status).toBe(503)
  publish.mockRestore()
  const filtered = Number(drops['filtered']) + 1
  await vi.waitFor(async () => expect((await counted()).drops).toMatchObject({ filtered }))
})

test('answers 429 to events over the monthly quota, and counts them', async () => {
  await at.sql`
    insert into error_counts (project_id, month, outcome, account_id, events)
    values (${project.id}, ${monthOf(at.now())}, 'stored', ${accountId}, ${quota})`
  await vi.waitFor(async () => {
    const { status, headers } = await post(envelopeOf([['event', anEvent()]]))
    expect(status).toBe(429)
    expect(headers['x-sentry-rate-limits']).toMatch(/^\d+:error:organization:usage_exceeded$/)
  })
  const { drops } = await counted()
  expect(drops['quota']).toBeGreaterThan(0)
  const { status, headers } = await post(envelopeOf([['session', {}]]))
  expect(status).toBe(200)
  expect(headers['x-sentry-rate-limits']).toMatch(/usage_exceeded/)
  // the persister records a reached threshold, and each control plane reports it as a metric
  await at.sql`
    insert into error_quota_notices values (${accountId}, ${monthOf(at.now())}, 100, now())`
  at.pass(11_000)
  await vi.waitFor(async () => {
    expect(await at.registry.metrics()).toContain('error_quota_accounts{percent="100"} 1')
  })
})
