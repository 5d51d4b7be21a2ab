import { gzipSync } from 'node:zlib'
import { noErrorFilters } from '../../contracts/error-settings.ts'
import { errorPools } from '../../contracts/error-pools.ts'
import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { decodeErrorsMessage } from '../../events/errors-message.ts'
import { defaultScrubRules } from '../../events/scrub/scrub.ts'
import { openBody, openInPieces, type Opened, type OpenRequest } from './open-body.ts'
import { BodyTooSlow, createOpener, OpenerStopped, type Opener } from './opener.ts'

const eventId = '0123456789abcdef0123456789abcdef'
const projectId = '01980000-0000-7000-8000-000000000001'
const envelope = (items: readonly string[]): Uint8Array =>
  gzipSync([`{"event_id":"${eventId}","dsn":"https://key@example.com/7"}`, ...items].join('\n'))
const event = ['{"type":"event"}', '{"message":"it broke","extra":{"password":"hunter2"}}']

const request = (more: Partial<OpenRequest> = {}): OpenRequest => ({
  kind: 'envelope',
  body: envelope(event),
  encoding: 'gzip',
  project: { projectId, scrub: defaultScrubRules, filters: noErrorFilters },
  countsOnly: false,
  receivedAt: Date.parse('2026-11-22T10:00:00Z'),
  ...more,
})

const startOpener = (): Opener => {
  const opener = createOpener({ log: pino({ level: 'silent' }) })
  onTestFinished(() => opener.close())
  return opener
}

const open = async (opener: Opener, owner: string, request: OpenRequest): Promise<Opened> => {
  const answer = await opener.open(owner, request)
  if (answer === 'busy') throw new Error('busy')
  return answer.opened
}

test('the worker thread opens some bodies and only counts others', async () => {
  const opener = startOpener()
  const counted = { opened: { events: [{ eventId, drop: null }] } }
  const answers = await Promise.all(
    [true, true, false, true].map((countsOnly) => opener.open('a', request({ countsOnly }))),
  )
  const whole = { opened: { events: [{ eventId }] } }
  expect(answers).toMatchObject([counted, counted, whole, counted])
})

test('the worker thread opens a body and returns the scrubbed message', async () => {
  const opener = startOpener()
  const answer = await open(opener, 'a', request())
  expect(answer).toMatchObject({ eventId, events: [{ eventId }], reports: [], unsupported: {} })
  const [first] = 'events' in answer ? answer.events : []
  if (first === undefined || !('data' in first)) throw new Error('nothing for the stream')
  expect(decodeErrorsMessage(first.data)).toMatchObject({
    kind: 'event',
    event: { projectId, eventId, message: 'it broke' },
  })
  expect(new TextDecoder().decode(first.data)).not.toContain('hunter2')
})

test('does not open events that are only counted', () => {
  const items = [...event, '{"type":"session"}', '{}', ...event]
  expect(openBody(request({ body: envelope(items), countsOnly: true }))).toEqual({
    eventId,
    events: [
      { eventId, drop: null },
      { eventId, drop: null },
    ],
    checkIns: [],
    reports: [],
    unsupported: { session: 1 },
  })
})

test.each([
  ['with a wrong content encoding', { encoding: 'br' }, 'invalid', 'the body is not valid br'],
  ['with an unknown content encoding', { encoding: 'lzma' }, 'invalid', 'unsupported content encoding'],
  [
    'that is too large after decompression',
    { body: gzipSync(Buffer.alloc(1024 * 1024 + 1)) },
    'size',
    'the body is larger than 1048576 bytes',
  ],
  ['without a header', { body: gzipSync('nothing') }, 'invalid', 'header: not JSON'],
])('a body %s is refused whole', (_, more, refused, problem) => {
  expect(openBody(request(more))).toEqual({ refused, problem })
})

test('reads the DSN of an envelope, if present', async () => {
  const opener = startOpener()
  const packed = { body: envelope(event), encoding: 'gzip' }
  expect(await opener.dsnOf('192.0.2.1', packed)).toBe('https://key@example.com/7')
  const none = { body: Buffer.from('{}\n'), encoding: undefined }
  expect(await opener.dsnOf('192.0.2.1', none)).toBeUndefined()
})

test('rejects the requests of a stopped thread and starts a new thread for the next body', async () => {
  const opener = startOpener()
  const asked = [opener.open('a', request()), opener.open('a', request())].map((one) =>
    one.catch((error: unknown) => error),
  )
  await opener.close()
  for (const answer of await Promise.all(asked)) expect(answer).toBeInstanceOf(OpenerStopped)
  expect(await open(opener, 'a', request())).toMatchObject({ eventId })
})

test('a body that holds the thread is dropped by itself, and the next one is opened', async () => {
  const opener = createOpener({ log: pino({ level: 'silent' }), limits: { cpuMsMax: 0, watchMs: 5 } })
  onTestFinished(() => opener.close())
  const long = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`k${n}`, '1.2.3.'.repeat(2_500)]))
  const body = envelope(['{"type":"event"}', JSON.stringify({ message: 'it broke', extra: long })])
  const slow = opener.open('a', request({ body })).catch((error: unknown) => error)
  const [first, second] = await Promise.all([
    slow,
    open(opener, 'b', request()).catch((error: unknown) => error),
  ])
  expect([first, second]).toEqual([expect.any(BodyTooSlow), expect.anything()])
  const patient = startOpener()
  expect(await open(patient, 'a', request())).toMatchObject({ eventId })
})

const { bounds } = errorPools.errorOpening

test('limits the waiting bodies of one account and leaves room for others', async () => {
  const opener = startOpener()
  const body = envelope(['{"type":"session"}', '{}'])
  const share = bounds.placesOfOwner + bounds.waitingOfOwner
  const asked = Array.from({ length: share + 1 }, () => opener.open('hog', request({ body })))
  const other = opener.open('other', request())
  const answers = await Promise.all(asked)
  expect(answers.filter((answer) => answer === 'busy')).toHaveLength(1)
  expect(answers.at(-1)).toBe('busy')
  expect(await other).toMatchObject({ opened: { eventId } })
  expect(opener.pool.counts.full).toBe(1)
})

test('an account without waiting bodies finds room in a full queue', async () => {
  const opener = startOpener()
  const body = envelope(['{"type":"session"}', '{}'])
  const asked = Array.from({ length: 20 }, (_, n) =>
    Array.from({ length: bounds.waitingOfOwner }, () => opener.open(`hog ${n}`, request({ body }))),
  )
  expect(await open(opener, 'other', request())).toMatchObject({ eventId })
  const answers = await Promise.all(asked.flat())
  expect(answers.filter((answer) => answer !== 'busy')).not.toHaveLength(0)
  expect(opener.pool.counts.displaced).toBeGreaterThan(0)
})

/** @returns the names in the order of their answers */
const answerOrder = async (requests: readonly (readonly [string, Promise<unknown>])[]): Promise<string[]> => {
  const order: string[] = []
  await Promise.all(requests.map(([name, answer]) => answer.then(() => order.push(name))))
  return order
}

/** 20,000 entries, each a URL with user and password. */
const costly = (): Uint8Array => {
  const extra = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, 'http://a:b@c']))
  return envelope(['{"type":"event"}', JSON.stringify({ message: 'm', extra })])
}

test('an account waits for at most one piece while another sends costly bodies on eight connections', async () => {
  const opener = startOpener()
  await open(opener, 'hog', request())
  const body = costly()
  expect(body.length).toBeGreaterThan(45_000)
  const hogs = Array.from({ length: 8 }, () => ['hog', opener.open('hog', request({ body }))] as const)
  const order = await answerOrder([...hogs, ['victim', opener.open('victim', request())]])
  expect(order.indexOf('victim')).toBeLessThanOrEqual(1)
})

test('each account gets one turn before any gets a second', async () => {
  const opener = startOpener()
  const body = costly()
  const accounts = Array.from({ length: 5 }, (_, n) => `account ${n}`)
  const asked = accounts.flatMap((owner) =>
    Array.from({ length: 3 }, () => [owner, opener.open(owner, request({ body }))] as const),
  )
  const order = await answerOrder(asked)
  expect(new Set(order.slice(0, accounts.length + 1)).size).toBeGreaterThanOrEqual(accounts.length)
})

test('an envelope of many costly events yields between events', async () => {
  const opener = startOpener()
  const extra = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`k${n}`, `http://a${n}:b@c`]))
  const items = Array.from({ length: 60 }, () => ['{"type":"event"}', JSON.stringify({ extra })]).flat()
  const long = open(opener, 'hog', request({ body: envelope(items) }))
  const order = await answerOrder([
    ['hog', long],
    ['victim', opener.open('victim', request())],
  ])
  expect(order).toEqual(['victim', 'hog'])
  expect((await long) as { events: unknown[] }).toMatchObject({ events: { length: 60 } })
})

test('counts the rest of an envelope without opening it', () => {
  const opening = openInPieces(request({ body: envelope([...event, ...event, ...event]) }))
  expect(opening.next('open').done).toBe(false)
  expect(opening.next('count').done).toBe(false)
  const { value } = opening.next('count')
  expect(value).toMatchObject({
    events: [{ data: expect.any(Uint8Array) }, { drop: null }, { drop: null }],
  })
})

test('bodies with the key inside share the part of one account, and their networks take turns', async () => {
  const opener = startOpener()
  const packed = { body: envelope(event), encoding: 'gzip' }
  const { placesOfOwner, waitingOfOwner } = errorPools.errorAnonymous.bounds
  const flood = Array.from({ length: placesOfOwner + waitingOfOwner + 1 }, () =>
    opener.dsnOf('192.0.2.1', packed),
  )
  const other = opener.dsnOf('192.0.2.2', packed)
  expect((await Promise.all(flood)).filter((answer) => answer === 'busy')).toHaveLength(1)
  expect(await other).toBe('https://key@example.com/7')
})
