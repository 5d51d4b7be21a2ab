import { randomBytes, randomUUID } from 'node:crypto'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { captureFeedback, logger, metrics } from '@sentry/node'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test, vi } from 'vitest'
import { startErrorSystem } from './error-system.ts'
import { startNodeClient } from './node-client.ts'

const perSecond = 5

const system = useOnce(() => startErrorSystem({ errorEventsPerSecond: perSecond }))

test('an issue shows the error as @sentry/node sent it', async () => {
  const project = await system.project()
  const { client, scope, flush } = startNodeClient(project.dsn)
  scope.setTag('shop', 'berlin')
  scope.setUser({ id: '17', email: 'someone@example.com' })
  scope.setExtra('basket', { items: [1, 2], password: 'hunter2hunter2' })
  scope.addBreadcrumb({ category: 'cart', message: 'put in' })
  const failure = new TypeError('the basket is empty')
  const eventId = scope.captureException(failure)
  await flush()
  await vi.waitFor(async () => expect(await project.counts()).toEqual({ stored: 1 }))

  const key = project.account.readKey
  const listed = await system.at.call('GET', `/v1/errors/projects/${project.id}/issues`, { key })
  expect(listed.json).toMatchObject({ total: 1, complete: true })
  const issueId = String(listed.json.issues[0].id)
  const { json } = await system.at.call('GET', `/v1/errors/issues/${issueId}`, { key })
  expect(json).toMatchObject({
    id: issueId,
    projectId: project.id,
    status: 'unresolved',
    occurrences: 1,
    releases: [{ release: 'shop@2.1.0', occurrences: 1 }],
  })
  expect(json.title).toContain('TypeError')
  const [recent] = json.recent
  expect(recent).toMatchObject({ id: eventId, release: 'shop@2.1.0', message: failure.message })
  expect(recent.frames[0].file).toContain('sentry-node.test.ts')
  expect(recent.context).toMatchObject({
    type: 'TypeError',
    environment: 'staging',
    tags: { shop: 'berlin' },
    user: { id: '17' },
    extra: { basket: { items: [1, 2] } },
  })
  expect(JSON.stringify(recent.context)).toContain('put in')
  expect(JSON.stringify(json)).not.toContain('hunter2')
  expect(JSON.stringify(json)).not.toContain('someone@example.com')
  await client.close(1_000)
})

test('counts other items of @sentry/node by type and stores none of them', async () => {
  const project = await system.project()
  const { client, scope, flush } = startNodeClient(project.dsn)
  const trace = { trace_id: randomUUID().replaceAll('-', ''), span_id: 'abcdef0123456789' }
  const [start_timestamp, timestamp] = [Date.now() / 1_000 - 1, Date.now() / 1_000]
  const timed = { start_timestamp, timestamp }
  scope.captureEvent({ type: 'transaction', transaction: 'GET /', contexts: { trace }, ...timed })
  client.sendSession({ aggregates: [{ started: new Date().toISOString(), exited: 3 }] })
  client.captureCheckIn({ monitorSlug: 'nightly', status: 'in_progress' })
  client.captureCheckIn({ monitorSlug: 'nightly', status: 'ok', checkInId: randomUUID() })
  logger.info('put in', { shop: 'berlin' }, { scope })
  metrics.count('orders', 1, { scope })
  captureFeedback({ message: 'it does not work' }, {}, scope)
  // in the envelope of its event
  scope.addAttachment({ filename: 'basket.json', data: '{"items":[1,2]}' })
  const eventId = scope.captureException(new Error('with an attachment'))
  await flush()
  await vi.waitFor(async () => {
    expect(await project.counts()).toEqual({ stored: 1 })
    expect(await project.unsupported()).toEqual({
      transaction: 1,
      sessions: 1,
      check_in: 2,
      log: 1,
      trace_metric: 1,
      feedback: 1,
      attachment: 1,
    })
  })
  const [issue, ...others] = await project.issues()
  expect(others).toEqual([])
  expect(issue).toMatchObject({ occurrences: 1, recent: [{ id: eventId }] })
  expect(JSON.stringify(issue)).not.toContain('basket.json')
  await client.close(1_000)
})

test.each([
  // the SDK compresses bodies above 32 KiB, and random bytes are incompressible
  ['after compression', () => randomBytes(260 * 1024).toString('base64')],
  ['after decompression', () => 'x'.repeat(1_100_000)],
])('an event of @sentry/node that is too large %s is refused, counted and not retried', async (_, blob) => {
  const project = await system.project()
  const { client, scope, flush } = startNodeClient(project.dsn)
  const statuses: unknown[] = []
  client.on('afterSendEvent', (_event, { statusCode }) => void statuses.push(statusCode))
  scope.captureException(new Error('small'))
  await flush()
  scope.setExtra('blob', blob())
  scope.captureException(new Error('large'))
  await flush()
  scope.setExtra('blob', null)
  scope.captureException(new Error('small again'))
  await flush()
  expect(statuses).toEqual([200, 413, 200])
  await vi.waitFor(async () => {
    expect(await project.counts()).toEqual({ stored: 2, size: 1 })
    // the client report about the same event
    expect(await project.reported()).toEqual({ 'send_error error': 1 })
  })
  await client.close(1_000)
})

test('at the rate limit @sentry/node drops errors only, and every event is counted', async () => {
  const project = await system.project()
  const { client, scope, flush } = startNodeClient(project.dsn)
  const answers: { statusCode?: number; headers?: Record<string, string | null> }[] = []
  client.on('afterSendEvent', (_event, answer) => void answers.push(answer as never))
  system.at.hold()
  for (let n = 0; n < perSecond + 3; n++) {
    scope.captureException(new Error('too many'))
    await flush()
  }
  client.captureCheckIn({ monitorSlug: 'nightly', status: 'ok' })
  // the next flush sends the client report
  await flush()
  await vi.waitFor(async () => {
    const { stored, rate, ...others } = await project.counts()
    const held = (await project.reported())['ratelimit_backoff error'] ?? 0
    expect(others).toEqual({})
    expect(stored).toBe(perSecond)
    expect(rate).toBeGreaterThan(0)
    expect((rate ?? 0) + held).toBe(3)
    expect(await project.unsupported()).toEqual({ check_in: 1 })
  })
  expect(answers[perSecond]).toMatchObject({
    statusCode: 429,
    headers: { 'x-sentry-rate-limits': '1:error:project:rate_limited', 'retry-after': '1' },
  })
  await client.close(1_000)
})

test('@sentry/node drops errors while the stream is unavailable, and reports the drops afterwards', async () => {
  const project = await system.project()
  const { client, scope, flush } = startNodeClient(project.dsn)
  const publish = vi.spyOn(system.at.bus.errors, 'publish').mockRejectedValue(new Error('away'))
  scope.captureException(new Error('lost'))
  await flush()
  scope.captureException(new Error('held back'))
  publish.mockRestore()
  await flush()
  await flush()
  await vi.waitFor(async () => {
    expect(await project.counts()).toEqual({ store: 1 })
    expect(await project.reported()).toEqual({ 'ratelimit_backoff error': 1 })
  })
  await client.close(1_000)
})

test('after a used up quota @sentry/node stops sending events and reports its drops', async () => {
  const project = await system.project('free')
  const { client, scope, flush } = startNodeClient(project.dsn)
  await system.spend(project, tiersDefault.free.errorEventsPerMonth)
  // the ingest knows the used up quota some seconds later; until then the persister drops the events
  await vi.waitFor(async () => {
    scope.captureException(new Error('too many'))
    await flush()
    await flush()
    expect(await project.reported()).toEqual({ 'ratelimit_backoff error': expect.any(Number) })
  }, 25_000)
  const counts = await project.counts()
  expect(counts['stored']).toBe(tiersDefault.free.errorEventsPerMonth)
  expect(counts['quota']).toBeGreaterThan(0)
  await client.close(1_000)
}, 60_000)
