import { describe, expect, test } from 'vitest'
import { probePageUrl, probeUserAgent, sentRegionOf } from './probe-identity.ts'

describe('the page about the probes', () => {
  test.each([
    ['https://mesh.example.org', 'https://mesh.example.org/probes'],
    ['https://example.org/mesh/', 'https://example.org/mesh/probes'],
    ['http://192.0.9.1:8080', 'http://192.0.9.1:8080/probes'],
    ['http://127.0.0.1:8080', null],
    ['http://127.8.8.8', null],
    ['http://localhost:8080', null],
    ['http://[::1]:8080', null],
    ['http://[::]:8080', null],
    ['http://0.0.0.0:8080', null],
    ['not a url', null],
    [null, null],
  ])('for %s is %s', (publicUrl, page) => expect(probePageUrl(publicUrl)).toBe(page))
})

test('the User-Agent contains the page about the probes, if any, and no region', () => {
  expect(probeUserAgent('0.1.0', 'https://mesh.example.org/probes')).toBe(
    'ProbeMesh/0.1.0 (uptime monitoring; +https://mesh.example.org/probes)',
  )
  expect(probeUserAgent('0.1.0', null)).toBe('ProbeMesh/0.1.0 (uptime monitoring)')
})

test('the region header contains a region of the mesh, and no id of a private agent', () => {
  expect(sentRegionOf('fra')).toBe('fra')
  expect(sentRegionOf('private-01890000-0000-7000-8000-000000000001')).toBe('private')
})
