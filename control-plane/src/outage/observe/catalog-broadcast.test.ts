import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { CatalogReadings } from '@probe-mesh/contracts/mesh/events'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { ReadingDetails } from '@probe-mesh/contracts/reading/reading-details'
import { expect, test } from 'vitest'
import { createCatalogBroadcast } from './catalog-broadcast.ts'
import { catalogReading, testCatalog as catalog } from './testing.ts'

const silent = { warn: () => undefined }

/** What subscribers receive, as it travels. */
const toldOf = (readings: readonly Reading[]) => {
  const told: { kind: string; text: string }[] = []
  const events = {
    publish: (kind: string, payload: unknown) => told.push({ kind, text: JSON.stringify(payload) }),
    subscribe: () => Promise.reject(new Error('nobody subscribes here')),
  }
  createCatalogBroadcast({ events, catalog, log: silent, now: () => 0 })(readings)
  return told.map(({ kind, text }) => {
    expect(kind).toBe('catalog_readings')
    return { text, readings: CatalogReadings.parse(JSON.parse(text)).readings }
  })
}
const reading = (atMs: number, more: Partial<Reading> = {}) =>
  catalogReading(['one', 0], 'fra', 'up', atMs, more)

test('readings of the catalog are told, also those that measured nothing, and no others', () => {
  const told = toldOf([
    reading(1),
    { ...reading(2), checkId: uuidv7(2) },
    reading(3, { verdict: 'unmeasured' }),
    reading(4, { kind: 'confirmation' }),
  ])
  expect(told.map(({ readings }) => readings.map(({ measuredAt }) => measuredAt))).toEqual([[1, 3, 4]])
})

test('nothing is said where nothing is to be told', () => {
  expect(toldOf([{ ...reading(1), checkId: uuidv7(1) }])).toEqual([])
})

test('many are told in parts, in order', () => {
  const told = toldOf(Array.from({ length: 250 }, (_, k) => reading(k)))
  expect(told.map(({ readings }) => readings.length)).toEqual([100, 100, 50])
  expect(told.flatMap(({ readings }) => readings.map(({ measuredAt }) => measuredAt))).toEqual(
    Array.from({ length: 250 }, (_, k) => k),
  )
})

test('what is noted of http is told; pictures and details of other types, which may be large, are not', () => {
  const http: ReadingDetails = { type: 'http', cdn: 'bunny', nameServers: ['a.example'] }
  const tcp: ReadingDetails = { type: 'tcp', received: 'x'.repeat(300) }
  const [told] = toldOf([reading(1, { details: http }), reading(2, { details: tcp, screenshot: 'AAAA' })])
  expect(told?.readings.map(({ details }) => details)).toEqual([http, null])
  expect(told?.text).not.toMatch(/screenshot|xxx/)
})

test('a page that changed is told, and the operator once a day of each probe', () => {
  const warned: unknown[] = []
  let nowMs = 0
  const events = { publish: () => undefined, subscribe: () => Promise.reject(new Error('no')) }
  const log = { warn: (fields: object) => void warned.push(fields) }
  const tell = createCatalogBroadcast({ events, catalog, log, now: () => nowMs })
  const changed = reading(3, {
    verdict: 'unmeasured',
    cause: 'page_changed',
    reason: 'the page changed: body is not JSON',
  })
  expect(toldOf([changed])).toHaveLength(1)
  tell([changed, changed])
  nowMs = 86_399_999
  tell([changed])
  expect(warned).toEqual([
    expect.objectContaining({ slug: 'one', url: 'https://one.example/', region: 'fra' }),
  ])
  nowMs = 86_400_000
  tell([changed])
  expect(warned).toHaveLength(2)
})
