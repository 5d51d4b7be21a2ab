import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { networkOf, widerNetworksOf } from './network-of.ts'

describe('an address counts', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['::192.0.2.1', '0:0:0:0'],
    ['2001:db8:1:2::1', '2001:db8:1:2'],
    ['2001:DB8:0001:2:ffff::9', '2001:db8:1:2'],
    ['2001:db8:1:3::1', '2001:db8:1:3'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8::4:5:6:7:8', '2001:db8:0:4'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
  ])('%s as %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})

test('all addresses of a /64, in any notation, are one network of their own', () => {
  const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }))
  const groups = fc.array(group, { minLength: 8, maxLength: 8 })
  forAll([groups, fc.nat(7), fc.nat(8)], (address, from, length) => {
    const network = address.slice(0, 4).map((one) => one.toString(16))
    const full = address.map((one) => one.toString(16).padStart(4, '0'))
    expect(networkOf(full.join(':'))).toBe(network.join(':'))
    // the same with a run of zero groups left out
    const to = Math.min(8, from + Math.max(1, length))
    const zeroed = address.map((one, at) => (at >= from && at < to ? 0 : one))
    const short = [zeroed.slice(0, from), zeroed.slice(to)].map((part) =>
      part.map((one) => one.toString(16)).join(':'),
    )
    const expected = zeroed.slice(0, 4).map((one) => one.toString(16))
    // ::ffff:a:b counts as mapped IPv4 only in dotted notation
    expect(networkOf(short.join('::'))).toBe(expected.join(':'))
  })
})

describe('the larger networks around', () => {
  test.each([
    ['192.0.2.1', []],
    ['::ffff:192.0.2.1', []],
    ['2001:db8:1:12ff::1', ['2001:db8:1:1200/56', '2001:db8:1/48']],
    ['2001:0DB8:1:1200:1::', ['2001:db8:1:1200/56', '2001:db8:1/48']],
    ['2001:db8:1:ff::1', ['2001:db8:1:0/56', '2001:db8:1/48']],
    ['2001:db8::1', ['2001:db8:0:0/56', '2001:db8:0/48']],
    ['::1', ['0:0:0:0/56', '0:0:0/48']],
  ])('%s are %j', (address, networks) => {
    expect(widerNetworksOf(address)).toEqual(networks)
  })
})
