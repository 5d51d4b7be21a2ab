import { gzipSync } from 'node:zlib'
import { noErrorFilters } from '@probe-mesh/contracts/error-settings'
import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { decodeErrorsMessage } from '../../error-tracking/errors-message.ts'
import { defaultScrubRules } from '../../error-tracking/scrub/scrub.ts'
import { openBody } from './open-body.ts'
import type { OpenQuestion } from './open-body.ts'
import { createOpener, OpenerAway } from './opener.ts'
import type { Opener } from './opener.ts'

const eventId = '0123456789abcdef0123456789abcdef'
const projectId = '01980000-0000-7000-8000-000000000001'
const envelope = (items: readonly string[]): Uint8Array =>
  gzipSync([`{"event_id":"${eventId}","dsn":"https://key@example.com/7"}`, ...items].join('\n'))
const event = ['{"type":"event"}', '{"message":"it broke","extra":{"password":"hunter2"}}']

const question = (more: Partial<OpenQuestion> = {}): OpenQuestion => ({
  kind: 'envelope',
  body: envelope(event),
  encoding: 'gzip',
  project: { projectId, scrub: defaultScrubRules, filters: noErrorFilters },
  countsOnly: false,
  receivedAt: Date.parse('2026-11-22T10:00:00Z'),
  ...more,
})

const opened = (): Opener => {
  const opener = createOpener({ log: pino({ level: 'silent' }) })
  onTestFinished(() => opener.close())
  return opener
}

test('bodies are opened in the thread, those that are only counted some moments later', async () => {
  const opener = opened()
  const counted = { events: [{ eventId, drop: null }] }
  const answers = await Promise.all(
    [true, true, false, true].map((countsOnly) => opener.open(question({ countsOnly }))),
  )
  expect(answers).toMatchObject([counted, counted, { events: [{ eventId }] }, counted])
})

test('a body is opened in the thread: its event comes back scrubbed, as the stream takes it', async () => {
  const opener = opened()
  const answer = await opener.open(question())
  expect(answer).toMatchObject({ eventId, events: [{ eventId }], reports: [], unsupported: {} })
  const [first] = 'events' in answer ? answer.events : []
  if (first === undefined || !('data' in first)) throw new Error('nothing for the stream')
  expect(decodeErrorsMessage(first.data)).toMatchObject({
    kind: 'event',
    event: { projectId, eventId, message: 'it broke' },
  })
  expect(new TextDecoder().decode(first.data)).not.toContain('hunter2')
})

test('events that are refused whatever they say are only counted', () => {
  const items = [...event, '{"type":"session"}', '{}', ...event]
  expect(openBody(question({ body: envelope(items), countsOnly: true }))).toEqual({
    eventId,
    events: [
      { eventId, drop: null },
      { eventId, drop: null },
    ],
    reports: [],
    unsupported: { session: 1 },
  })
})

test.each([
  ['that is packed otherwise than it says', { encoding: 'br' }, 'invalid', 'the body is not br'],
  ['that is packed in no known way', { encoding: 'lzma' }, 'invalid', 'unknown content encoding'],
  [
    'that unpacks beyond the bound',
    { body: gzipSync(Buffer.alloc(1024 * 1024 + 1)) },
    'size',
    'the body is larger than 1048576 bytes',
  ],
  ['without a header', { body: gzipSync('nothing') }, 'invalid', 'header: not JSON'],
])('a body %s is refused whole', (_, more, refused, problem) => {
  expect(openBody(question(more))).toEqual({ refused, problem })
})

test('an envelope says its DSN, and one without says none', async () => {
  const opener = opened()
  const packed = { body: envelope(event), encoding: 'gzip' }
  expect(await opener.dsnOf(packed)).toBe('https://key@example.com/7')
  expect(await opener.dsnOf({ body: Buffer.from('{}\n'), encoding: undefined })).toBeUndefined()
})

test('whoever asked a thread that ended is told, and the next body has a new one', async () => {
  const opener = opened()
  const asked = [opener.open(question()), opener.open(question())].map((one) =>
    one.catch((error: unknown) => error),
  )
  await opener.close()
  for (const answer of await Promise.all(asked)) expect(answer).toBeInstanceOf(OpenerAway)
  expect(await opener.open(question())).toMatchObject({ eventId })
})

test('no more than a bounded number of bodies waits for the thread', async () => {
  const opener = opened()
  const body = envelope(['{"type":"session"}', '{}'])
  const asked = Array.from({ length: 1_001 }, () => opener.open(question({ body })))
  const answers = await Promise.allSettled(asked)
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 'rejected')).toHaveLength(1)
  expect(statuses.at(-1)).toBe('rejected')
})
