import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { calls } from './messages.ts'
import { MalformedMessage } from './raw.ts'
import { statusMessage } from './server.ts'

const { readResource, planResourceChange, upgradeResourceState, validateResourceConfig } = calls
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')

describe('what is sent is as the protocol numbers it', () => {
  test('a state and private bytes', () => {
    const bytes = readResource.response.encode({
      newState: { msgpack: hex('c0') },
      private: hex('01'),
    })
    expect(bytes).toEqual(hex('0a 03 0a01c0 1a 01 01'))
  })
  test('a diagnostic at a path of an attribute, a key and an index', () => {
    const bytes = validateResourceConfig.response.encode({
      diagnostics: [
        {
          severity: 'error',
          summary: 's',
          attribute: {
            steps: [{ attributeName: 'a' }, { elementKeyString: '' }, { elementKeyInt: 0 }],
          },
        },
      ],
    })
    expect(bytes).toEqual(hex('0a 14 0801 120173 22 0d 0a03 0a0161 0a02 1200 0a02 1800'.trim()))
  })
  test('what is empty takes no bytes, and a message that is there takes two', () => {
    expect(planResourceChange.response.encode({ plannedPrivate: hex(''), diagnostics: [] })).toEqual(hex(''))
    expect(planResourceChange.response.encode({ plannedState: {} })).toEqual(hex('0a00'))
    expect(planResourceChange.response.encode({ plannedState: null })).toEqual(hex(''))
  })
})

describe('what is received', () => {
  test('is whole where little was sent', () => {
    expect(upgradeResourceState.request.decode(hex(''))).toEqual({
      typeName: '',
      version: 0,
      rawState: null,
    })
  })
  test('may hold what nobody here knows, of every wire type', () => {
    const unknown = '7001 79 0102030405060708 7d 01020304 72 02 ffff'
    expect(upgradeResourceState.request.decode(hex(`${unknown} 0a0178 1002 ${unknown}`))).toEqual({
      typeName: 'x',
      version: 2,
      rawState: null,
    })
  })
  test('a known number of another wire type is not ours', () => {
    expect(upgradeResourceState.request.decode(hex('0801 1200')).typeName).toBe('')
  })
  test('a number below zero takes ten bytes', () => {
    const { version } = upgradeResourceState.request.decode(hex('10 ffffffffffffffffff01'))
    expect(version).toBe(-1)
    expect(upgradeResourceState.request.encode({ version })).toEqual(hex('10 ffffffffffffffffff01'))
  })
  test('a severity that nobody knows reads as the first', () => {
    const { diagnostics } = validateResourceConfig.response.decode(hex('0a02 0863'))
    expect(diagnostics[0]?.severity).toBe('invalid')
  })
  test('a map may be keyed by anything', () => {
    const { rawState } = upgradeResourceState.request.decode(
      hex('1a 12 12 10 0a095f5f70726f746f5f5f 120378797a'.replaceAll(' ', '')),
    )
    expect(Object.entries(rawState?.flatmap ?? {})).toEqual([['__proto__', 'xyz']])
  })
})

test.each([
  ['a tag cut short', '80'],
  ['a number cut short', '1080'],
  ['a number of eleven bytes', '10 ffffffffffffffffffff01'],
  ['a chunk beyond the end', '0a02 61'],
  ['a chunk of 2^64 bytes', '0a ffffffffffffffffff01'],
  ['eight bytes cut short', '79 01'],
  ['field zero', '0201 00'],
  ['a group', '0b 0c'],
  ['a text that is no UTF-8', '0a01 ff'],
  ['a message within that is cut short', '1a02 0a05'],
])('%s is malformed', (_what, bytes) => {
  expect(() => upgradeResourceState.request.decode(hex(bytes))).toThrow(MalformedMessage)
})

test('of 10,000 messages of any bytes each is read or malformed', () => {
  const requests = Object.values(calls).map(({ request }) => request)
  forAll(
    [fc.uint8Array({ maxLength: 60 }), fc.nat(requests.length - 1)],
    { numRuns: 10_000 },
    (bytes, index) => {
      try {
        requests[index]?.decode(bytes)
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedMessage)
      }
    },
  )
})

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array))
const dynamicValue = fc.record({ msgpack: bytes, json: bytes })
test('a request that is sent is received', () => {
  const requests = fc.record({
    typeName: fc.string({ unit: 'grapheme' }),
    priorState: fc.option(dynamicValue),
    proposedNewState: fc.option(dynamicValue),
    config: fc.option(dynamicValue),
    priorPrivate: bytes,
    clientCapabilities: fc.option(
      fc.record({ deferralAllowed: fc.boolean(), writeOnlyAttributesAllowed: fc.boolean() }),
    ),
  })
  forAll([requests], (sent) => {
    const { request } = planResourceChange
    expect(request.decode(request.encode(sent))).toEqual(sent)
  })
})

test('a message in a header is percent-encoded', () => {
  expect(statusMessage('50 % of €\n')).toBe('50 %25 of %E2%82%AC%0A')
})
