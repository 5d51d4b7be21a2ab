import { describe, expect, test } from 'vitest'
import { probePageUrl, probeUserAgent } from './probe-identity.ts'

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
  ])('of %s is %s', (publicUrl, page) => expect(probePageUrl(publicUrl)).toBe(page))
})

test('the User-Agent says the region, and where to read about it if anywhere', () => {
  expect(probeUserAgent('0.1.0', 'fra', 'https://mesh.example.org/probes')).toBe(
    'ProbeMesh/0.1.0 (fra; uptime monitoring; +https://mesh.example.org/probes)',
  )
  expect(probeUserAgent('0.1.0', 'fra', null)).toBe('ProbeMesh/0.1.0 (fra; uptime monitoring)')
})
