import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { CatalogReadings } from '@probe-mesh/contracts/mesh/events'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { ReadingDetails } from '@probe-mesh/contracts/reading/reading-details'
import { expect, test } from 'vitest'
import { createCatalogBroadcast } from './catalog-broadcast.ts'
import { catalogReading, testCatalog as catalog } from './testing.ts'

const silent = { warn: () => undefined }

/** The messages that subscribers receive. */
const messagesOf = (readings: readonly Reading[]) => {
  const sent: { kind: string; text: string }[] = []
  const events = {
    publish: (kind: string, payload: unknown) => sent.push({ kind, text: JSON.stringify(payload) }),
    subscribe: () => Promise.reject(new Error('unexpected subscription')),
  }
  createCatalogBroadcast({ events, catalog, log: silent, now: () => 0 })(readings)
  return sent.map(({ kind, text }) => {
    expect(kind).toBe('catalog_readings')
    return { text, readings: CatalogReadings.parse(JSON.parse(text)).readings }
  })
}
const reading = (atMs: number, more: Partial<Reading> = {}) =>
  catalogReading(['one', 0], 'fra', 'up', atMs, more)

test('broadcasts all readings of the catalog, even without a measurement, and no others', () => {
  const messages = messagesOf([
    reading(1),
    { ...reading(2), checkId: uuidv7(2) },
    reading(3, { verdict: 'unmeasured' }),
    reading(4, { kind: 'confirmation' }),
  ])
  expect(messages.map(({ readings }) => readings.map(({ measuredAt }) => measuredAt))).toEqual([[1, 3, 4]])
})

test('sends no message without a reading of the catalog', () => {
  expect(messagesOf([{ ...reading(1), checkId: uuidv7(1) }])).toEqual([])
})

test('splits many readings into several messages, in order', () => {
  const messages = messagesOf(Array.from({ length: 250 }, (_, k) => reading(k)))
  expect(messages.map(({ readings }) => readings.length)).toEqual([100, 100, 50])
  expect(messages.flatMap(({ readings }) => readings.map(({ measuredAt }) => measuredAt))).toEqual(
    Array.from({ length: 250 }, (_, k) => k),
  )
})

test('sends the details of http readings, but no screenshots or details of other types', () => {
  const http: ReadingDetails = { type: 'http', cdn: 'bunny', nameServers: ['a.example'] }
  const tcp: ReadingDetails = { type: 'tcp', received: 'x'.repeat(300) }
  const [message] = messagesOf([
    reading(1, { details: http }),
    reading(2, { details: tcp, screenshot: 'AAAA' }),
  ])
  expect(message?.readings.map(({ details }) => details)).toEqual([http, null])
  expect(message?.text).not.toMatch(/screenshot|xxx/)
})

test('broadcasts a changed page and warns the operator once a day per probe', () => {
  const warned: unknown[] = []
  let nowMs = 0
  const events = { publish: () => undefined, subscribe: () => Promise.reject(new Error('no')) }
  const log = { warn: (fields: object) => void warned.push(fields) }
  const broadcast = createCatalogBroadcast({ events, catalog, log, now: () => nowMs })
  const changed = reading(3, {
    verdict: 'unmeasured',
    cause: 'page_changed',
    reason: 'the page changed: body is not JSON',
  })
  expect(messagesOf([changed])).toHaveLength(1)
  broadcast([changed, changed])
  nowMs = 86_399_999
  broadcast([changed])
  expect(warned).toEqual([
    expect.objectContaining({ slug: 'one', url: 'https://one.example/', region: 'fra' }),
  ])
  nowMs = 86_400_000
  broadcast([changed])
  expect(warned).toHaveLength(2)
})
