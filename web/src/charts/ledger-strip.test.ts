import { textOf } from '@probe-mesh/runtime/html'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { ledgerStrip, slotText, stackOf, type SlotCounts } from './ledger-strip.ts'

const slot = (measured: number, unmeasured = 0, missing = 0): SlotCounts => ({
  due: measured + unmeasured + missing,
  measured,
  unmeasured,
  missing,
})
const shape = (counts: SlotCounts): string =>
  stackOf(counts)
    .map(({ part, height }) => `${part} ${height}`)
    .join(', ')

test.each([
  ['with everything stored is one whole bar', slot(60), 'measured 20'],
  ['without anything due is a line', slot(0), 'none 2'],
  ['without anything stored is one whole bar of another kind', slot(0, 0, 60), 'missing 20'],
  ['with one loss of many shows it', slot(9_999, 0, 1), 'measured 16, missing 4'],
  ['with a gap of its agent shows it', slot(9_999, 1), 'measured 16, unmeasured 4'],
])('a slot %s', (_is, counts, expected) => {
  expect(shape(counts)).toBe(expected)
})

test('every slot with expected probes is a whole bar of exactly its parts', () => {
  const count = fc.nat(50_000)
  forAll([count, count, count], (measured, unmeasured, missing) => {
    fc.pre(measured + unmeasured + missing > 0)
    const stack = stackOf(slot(measured, unmeasured, missing))
    expect(stack.reduce((sum, { height }) => sum + height, 0)).toBe(20)
    const parts = { measured, unmeasured, missing }
    expect(stack.map(({ part }) => part)).toEqual(
      (['measured', 'unmeasured', 'missing'] as const).filter((part) => parts[part] > 0),
    )
    for (const { height } of stack) expect(height).toBeGreaterThanOrEqual(4)
  })
})

test('its text counts what is drawn, and its data is null for slots without expected probes', () => {
  expect(slotText(slot(58, 1, 1))).toBe('58 of 60 measured, 1 not measurable, 1 missed')
  const drawn = textOf(
    ledgerStrip({
      id: 'coverage',
      title: 'Coverage',
      fromMs: 0,
      stepMs: 3_600_000,
      rows: [{ key: 'fra', name: 'fra', slots: [slot(0), slot(2_999, 0, 1), slot(3_000)] }],
    }),
  ).replace(/\s+/g, ' ')
  expect(drawn).toContain('fra: 5999 of 6000 measured, 1 missed, in 1 of 3 hours.')
  const data = /data-chart="([^"]*)"/.exec(drawn)?.[1]?.replaceAll('&quot;', '"') ?? ''
  expect(JSON.parse(data)).toMatchObject({
    lines: [{ key: 'fra', values: [null, 99.9, 100] }],
    states: ['no probe due', '2999 of 3000 measured, 1 missed', '3000 of 3000 measured'],
  })
  for (const name of ['measured', 'missed', 'no probe due']) expect(drawn).toContain(`</svg >${name}`)
  expect(drawn).not.toContain('>not measurable')
})
