import { slotsDueCount, type Revision } from '@probe-mesh/contracts/reading/slots'
import { expect, test } from 'vitest'
import { hoursByRegion } from './get-ledger-hours.ts'

const hour = 3_600_000
const from = 1_700_000_000_000 - (1_700_000_000_000 % hour)
const to = from + 23 * hour + 600_000
const of = (checkId: string, more: Partial<Revision> = {}) => ({
  checkId,
  name: checkId,
  validFromMs: 0,
  validToMs: null,
  regions: ['fra'],
  intervalSeconds: 60,
  paused: false,
  ...more,
})
const all = (count: number): number[] => [...Array.from({ length: 23 }, () => count), count / 6]
const stored = (checkId: string, measured: number[], unmeasured: number[] = []) => ({
  checkId,
  region: 'fra',
  measured,
  unmeasured,
})
/** `<region> <due>/<measured>/<unmeasured>/<missing>` of one hour. */
const hourOf = (index: number, ...asked: Parameters<typeof hoursByRegion>) =>
  hoursByRegion(...asked).map(({ region, hours }) => {
    const { due, measured, unmeasured, missing } = hours[index] ?? {}
    return `${region} ${due}/${measured}/${unmeasured}/${missing}`
  })

test('every hour of every region is counted, and the newest only up to the settled minute', () => {
  const found = hoursByRegion([of('shop', { regions: ['nrt', 'fra'] })], [stored('shop', all(60))], from, to)
  expect(found.map(({ region, hours }) => [region, hours.length])).toEqual([
    ['fra', 24],
    ['nrt', 24],
  ])
  expect(found[0]?.hours[0]).toEqual({ due: 60, measured: 60, unmeasured: 0, missing: 0 })
  expect(found[0]?.hours[23]).toEqual({ due: 10, measured: 10, unmeasured: 0, missing: 0 })
  expect(found[1]?.hours[0]).toEqual({ due: 60, measured: 0, unmeasured: 0, missing: 60 })
})

test('an hour without a stored reading is missed completely; an unmeasured one is not', () => {
  const one = stored('shop', [60, 58], [0, 1])
  expect(hourOf(1, [of('shop')], [one], from, to)).toEqual(['fra 60/58/1/1'])
  expect(hourOf(2, [of('shop')], [one], from, to)).toEqual(['fra 60/0/0/60'])
})

test('unexpected readings of one check fill no gap of another, nor of another hour', () => {
  const found = [stored('shop', [90, 60]), stored('api', [50, 60])]
  expect(hourOf(0, [of('shop'), of('api')], found, from, to)).toEqual(['fra 120/110/0/10'])
})

test('a paused hour expects nothing, and a change within an hour expects the probes of both revisions', () => {
  const change = from + 1.5 * hour
  const revisions = [
    of('shop', { validToMs: change }),
    of('shop', { validFromMs: change, intervalSeconds: 30, validToMs: from + 2 * hour }),
    of('shop', { validFromMs: from + 2 * hour, paused: true }),
  ]
  const due = slotsDueCount('shop', 'fra', revisions, from + hour, from + 2 * hour)
  expect(due).toBeGreaterThanOrEqual(89)
  expect(hourOf(1, revisions, [], from, to)).toEqual([`fra ${due}/0/0/${due}`])
  expect(hourOf(2, revisions, [stored('shop', [0, 0, 5])], from, to)).toEqual(['fra 0/0/0/0'])
  expect(hoursByRegion([of('shop', { paused: true })], [], from, to)).toEqual([])
})
