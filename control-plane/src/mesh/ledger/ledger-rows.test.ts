import { slotsDueCount, type Revision } from '@probe-mesh/contracts/reading/slots'
import { expect, test } from 'vitest'
import { ledgerRows, regionLedgers } from './get-ledger.ts'

const minute = 60_000
const from = 1_700_000_040_000
const to = from + 10 * minute
const revision: Revision = {
  validFromMs: 0,
  validToMs: null,
  regions: ['fra', 'nrt'],
  intervalSeconds: 60,
  paused: false,
}
const [shop, api] = ['shop-id', 'api-id']
const of = (checkId: string, name: string, more: Partial<Revision> = {}) => ({
  checkId,
  name,
  ...revision,
  ...more,
})
const stored = (checkId: string, region: string, measured: number, unmeasured = 0) => ({
  checkId,
  region,
  measured,
  unmeasured,
})
/** `<name> <region> <due>/<measured>/<unmeasured>/<missing>`, in order. */
const rowsOf = (...asked: Parameters<typeof ledgerRows>) =>
  ledgerRows(...asked).map(
    (row) => `${row.name} ${row.region} ${row.due}/${row.measured}/${row.unmeasured}/${row.missing}`,
  )

test('counts expected probes without a reading as missing, most missing first', () => {
  const found = [stored(shop, 'fra', 10), stored(shop, 'nrt', 6, 1), stored(api, 'fra', 9)]
  expect(rowsOf([of(shop, 'Shop'), of(api, 'API')], found, from, to)).toEqual([
    'API nrt 10/0/0/10',
    'Shop nrt 10/6/1/3',
    'API fra 10/9/0/1',
    'Shop fra 10/10/0/0',
  ])
})

test.each([
  ['one too few is one missing', 9, 1],
  ['as many as were due are none', 10, 0],
  ['one more than was due is none, not less than none', 11, 0],
])('%s', (_is, measured, missing) => {
  const one = of(shop, 'Shop', { regions: ['fra'] })
  expect(rowsOf([one], [stored(shop, 'fra', measured)], from, to)).toEqual([
    `Shop fra 10/${measured}/0/${missing}`,
  ])
})

test('extra readings of one check or region fill no gap of another', () => {
  const found = [stored(shop, 'fra', 30), stored(api, 'nrt', 30)]
  const rows = ledgerRows([of(shop, 'Shop'), of(api, 'API')], found, from, to)
  expect(regionLedgers(rows)).toEqual([
    { region: 'fra', due: 20, measured: 30, unmeasured: 0, missing: 10 },
    { region: 'nrt', due: 20, measured: 30, unmeasured: 0, missing: 10 },
  ])
})

test('a changed check expects the probes of all its revisions, in one row for each region', () => {
  const half = from + 5 * minute
  const changed = [
    of(shop, 'Shop', { regions: ['fra'], validToMs: half }),
    of(shop, 'Shop', { validFromMs: half, intervalSeconds: 30 }),
  ]
  const due = (region: string) =>
    changed.reduce((sum, one) => sum + slotsDueCount(shop, region, [one], from, to), 0)
  expect(due('fra')).toBe(15)
  expect(due('nrt')).toBe(10)
  expect(rowsOf(changed, [stored(shop, 'fra', 14)], from, to)).toEqual([
    'Shop nrt 10/0/0/10',
    'Shop fra 15/14/0/1',
  ])
})

test('a revision that was paused, or valid only before or after, expects no probes', () => {
  const none = [
    of(shop, 'paused', { paused: true }),
    of(shop, 'before', { validToMs: from }),
    of(shop, 'after', { validFromMs: to }),
  ]
  expect(ledgerRows(none, [stored(shop, 'fra', 3)], from, to)).toEqual([])
  expect(regionLedgers([])).toEqual([])
})
