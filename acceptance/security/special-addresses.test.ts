import { expect, test } from 'vitest'
import { dataProblems, specialAddresses, type SpecialAddress } from './special-addresses.ts'

const without = (prefix: string): SpecialAddress[] => specialAddresses.filter((row) => row.prefix !== prefix)

test('the product denies the special-purpose ranges of the registries and clouds, and no other', () => {
  expect(dataProblems()).toEqual([])
})

test('each range is in the data once', () => {
  expect(new Set(specialAddresses.map(({ prefix }) => prefix)).size).toBe(specialAddresses.length)
})

test('a range that is lost from the data is red, also if the product denies it', () => {
  expect(dataProblems(without('100.64.0.0/10'))).toEqual([
    'the data has 25 ranges of IANA IPv4, fewer than 26',
    'the product denies 100.64.0.0/10, and no range of the data contains 100.64.0.0',
  ])
  expect(dataProblems(without('4000::/3'))).toContain(
    'the product denies above 2000::/3, and no range of the data contains 4000:0:0:0:0:0:0:0',
  )
})

test('a range that the product treats otherwise is red, in both directions', () => {
  const row = { kind: 'x', list: 'x', source: 'x' }
  expect(
    dataProblems([
      ...specialAddresses,
      { ...row, prefix: '8.8.0.0/16', name: 'a new purpose', allowedBecause: null },
      { ...row, prefix: '10.9.0.0/32', name: 'a reason', allowedBecause: 'targets are there' },
    ]),
  ).toEqual([
    'the product allows 8.8.0.0 of 8.8.0.0/16 (a new purpose)',
    'the product allows 8.8.255.255 of 8.8.0.0/16 (a new purpose)',
    'the product denies 10.9.0.0 of 10.9.0.0/32 (a reason), which the data allows: targets are there',
  ])
})
