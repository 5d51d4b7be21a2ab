import { expect, test } from 'vitest'
import { parsePublicAddresses, publicAddressesMax } from './public-addresses.ts'

test.each([
  ['192.0.9.1', true],
  ['192.0.9.0/28', true],
  ['192.0.9.0/33', false],
  ['2001:200::1', true],
  ['2001:200::/64', true],
  ['2001:200::/129', false],
  ['fe80::1%eth0', false],
  ['192.0.9.0/24/24', false],
  ['192.0.9.0/', false],
  ['192.0.9', false],
  ['probe.example.org', false],
  ['', false],
])('%s is an address or a CIDR: %s', (text, sound) => {
  const parsed = parsePublicAddresses([text])
  expect(parsed).toEqual(
    sound
      ? { ok: true, value: [text] }
      : { ok: false, problems: [expect.stringContaining(JSON.stringify(text))] },
  )
})

test('removes duplicates and limits the number of addresses', () => {
  expect(parsePublicAddresses(['192.0.9.1', '192.0.9.1'])).toEqual({
    ok: true,
    value: ['192.0.9.1'],
  })
  const many = Array.from({ length: publicAddressesMax }, (_, n) => `192.0.9.${n}`)
  expect(parsePublicAddresses(many).ok).toBe(true)
  expect(parsePublicAddresses([...many, '192.0.10.1']).ok).toBe(false)
})
