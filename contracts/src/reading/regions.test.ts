import { expect, test } from 'vitest'
import { agentIdOfToken, formatAgentToken } from '../account/key-text.ts'
import { uuidv7 } from '../schema/ids.ts'
import { privateAgentOf, privateRegion } from './private-region.ts'
import { AnyRegion, Region } from './regions.ts'

const id = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'

test('a private agent is a region of its own, outside the mesh', () => {
  const region = privateRegion(id)
  expect(privateAgentOf(region)).toBe(id)
  expect(privateAgentOf('fra')).toBeNull()
  expect(AnyRegion.safeParse(region).success).toBe(true)
  expect(Region.safeParse(region).success).toBe(false)
})

test.each(['fr', 'FRA', `private-${id.toUpperCase()}`, `private-${id}0`, `x-private-${id}`, 'private-'])(
  '%s is not a region',
  (text) => {
    expect(AnyRegion.safeParse(text).success).toBe(false)
  },
)

test('a token contains its agent id, and a typo is detected without a server', () => {
  const agentId = uuidv7(Date.now())
  const token = formatAgentToken(agentId, crypto.getRandomValues(new Uint8Array(32)))
  expect(agentIdOfToken(token)).toBe(agentId)
  for (let at = 0; at < token.length; at++) {
    const other = token[at] === 'a' ? 'b' : 'a'
    expect(agentIdOfToken(token.slice(0, at) + other + token.slice(at + 1))).toBeNull()
  }
})
