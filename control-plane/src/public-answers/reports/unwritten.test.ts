import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { quarterMs } from '../unusual-reports.ts'
import { createUnwritten } from './unwritten.ts'

const t0 = Date.parse('2026-11-20T12:00:00.000Z')
const one = { slug: 'github', region: 'fra', atMs: t0 }

test('adds up counts by quarter, region and service', () => {
  const unwritten = createUnwritten()
  unwritten.add(one)
  unwritten.add({ ...one, atMs: t0 + quarterMs - 1 })
  unwritten.add({ ...one, atMs: t0 + quarterMs })
  unwritten.add({ ...one, region: 'unknown' })
  expect(unwritten.size()).toBe(3)
  expect(unwritten.next()?.counts).toEqual([
    { slug: 'github', region: 'fra', quarterMs: t0, reports: 2 },
    { slug: 'github', region: 'fra', quarterMs: t0 + quarterMs, reports: 1 },
    { slug: 'github', region: 'unknown', quarterMs: t0, reports: 1 },
  ])
})

test('a batch does not change until it is written, even if reports arrive meanwhile', () => {
  const unwritten = createUnwritten()
  unwritten.add(one)
  const batch = unwritten.next()
  const before = structuredClone(batch)
  unwritten.add(one)
  expect(unwritten.next()).toBe(batch)
  expect(batch).toEqual(before)
  if (batch !== null) unwritten.written(batch)
  const later = unwritten.next()
  expect(later).toMatchObject({ sequence: 2, counts: [{ reports: 1 }] })
  if (batch !== null) unwritten.written(batch)
  expect(unwritten.next()).toBe(later)
})

test('marks each quarter once, even without reports', () => {
  const unwritten = createUnwritten()
  expect(unwritten.next()).toBeNull()
  unwritten.pass(t0)
  const batch = unwritten.next()
  expect(batch).toEqual({ sequence: 1, quarters: [t0], counts: [] })
  if (batch !== null) unwritten.written(batch)
  unwritten.pass(t0 + quarterMs - 1)
  expect(unwritten.next()).toBeNull()
  unwritten.pass(t0 + quarterMs)
  expect(unwritten.next()?.quarters).toEqual([t0 + quarterMs])
})

test('limits the queue while nothing can be written', () => {
  const unwritten = createUnwritten()
  const added = Array.from({ length: 100_010 }, (_, n) => unwritten.add({ ...one, slug: `s${n}` }))
  expect(added.filter((isAdded) => !isAdded)).toHaveLength(10)
  expect(unwritten.add({ ...one, slug: 's0' })).toBe(true)
  for (let n = 0; n < 2_000; n += 1) unwritten.pass(t0 + n * quarterMs)
  expect(unwritten.size()).toBe(100_000)
  const batch = unwritten.next()
  expect(batch?.counts).toHaveLength(5_000)
  expect(batch?.quarters).toHaveLength(960)
  expect(batch?.quarters.at(-1)).toBe(t0 + 1_999 * quarterMs)
})

test('every report is in exactly one written batch, for any order of counting and writing', () => {
  const act = fc.constantFrom('add', 'write', 'fail')
  forAll([fc.array(act, { maxLength: 100 })], (acts) => {
    const unwritten = createUnwritten()
    let [added, written, sequence] = [0, 0, 0]
    for (const kind of [...acts, 'write', 'write']) {
      if (kind === 'add') {
        unwritten.add(one)
        added += 1
        continue
      }
      const batch = unwritten.next()
      if (batch === null || kind === 'fail') continue
      expect(batch.sequence).toBeGreaterThan(sequence)
      sequence = batch.sequence
      written += batch.counts.reduce((sum, { reports }) => sum + reports, 0)
      unwritten.written(batch)
    }
    expect(written).toBe(added)
    expect(unwritten.size()).toBe(0)
  })
})
