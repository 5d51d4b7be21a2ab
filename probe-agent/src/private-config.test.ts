import { expect, test } from 'vitest'
import { isPrivateAgent, parsePrivateAgentConfig } from './config.ts'

const id = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'
const parse = (environment: Record<string, string>) =>
  parsePrivateAgentConfig({ MESH_URL: 'https://mesh.example.org/', ...environment }, id)

test('takes region and name from the token', () => {
  const parsed = parse({ PRIVATE_TARGETS: '10.0.0.0/8, db.internal', REGION: '' })
  expect(parsed).toMatchObject({
    ok: true,
    config: {
      agent: { region: `private-${id}`, agent: `private-${id}` },
      chromium: 'off',
      connection: { kind: 'relay', url: 'https://mesh.example.org' },
    },
  })
  const allow = parsed.ok ? parsed.config.targetAllow : null
  expect(allow?.covers('10.0.0.1')).toBe(true)
  expect(allow?.opensName('db.internal')).toBe(true)
})

test('reaches only public targets without PRIVATE_TARGETS', () => {
  const parsed = parse({})
  expect(parsed.ok && parsed.config.targetAllow.covers('10.0.0.1')).toBe(false)
})

test.each([
  ['MESH_URL', 'http://mesh.example.org'],
  ['MESH_URL', 'https://u:p@mesh.example.org'],
  ['MESH_URL', 'ftp://mesh.example.org'],
  ['PRIVATE_TARGETS', '127.0.0.0/8'],
  ['REGION', 'fra'],
  ['AGENT', 'fra-1'],
  ['NATS_URL', 'nats://127.0.0.1:4222'],
  ['TARGET_ALLOW', '10.0.0.0/8'],
  ['PORT', 'x'],
])('rejects %s=%s', (name, value) => {
  expect(parse({ [name]: value })).toMatchObject({
    ok: false,
    problems: [expect.stringContaining(name)],
  })
})

test.each(['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080'])(
  'accepts %s on this machine',
  (url) => {
    expect(parse({ MESH_URL: url }).ok).toBe(true)
  },
)

test('an agent of a region has no MESH_URL', () => {
  expect(isPrivateAgent({ REGION: 'fra', MESH_URL: ' ' })).toBe(false)
  expect(isPrivateAgent({ MESH_URL: 'https://mesh.example.org' })).toBe(true)
})
