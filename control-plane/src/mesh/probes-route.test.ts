import { Probes } from '@probe-mesh/contracts/agent/probes'
import { describe, expect, test, vi } from 'vitest'
import { useTestApp } from '../app/testing/test-app.ts'

const at = useTestApp({
  config: {
    publicUrl: 'https://mesh.example.org',
    contactUrl: 'https://example.org/contact',
    targetRequestsPerMinute: 3_000,
  },
})

describe('GET /probes.json', () => {
  test('is open to every origin, may be cached, and names the contact', async () => {
    const { status, headers, json } = await at.call('GET', '/probes.json')
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=300',
      'content-type': 'application/json; charset=utf-8',
    })
    expect(Probes.parse(json)).toMatchObject({
      url: 'https://mesh.example.org/probes',
      contact: 'https://example.org/contact',
      requestsPerHostAndMinuteMax: 3_000,
      vantage: 'local',
    })
  })

  test('has exactly the addresses that agents announce', async () => {
    const announced = await at.bus.presence.announce({
      agent: 'fra-1',
      region: 'fra',
      version: '0.1.0',
      startedAt: Date.now(),
      addresses: ['192.0.9.1'],
    })
    try {
      await vi.waitFor(async () => {
        const { json } = await at.call('GET', '/probes.json')
        const regions = Probes.parse(json).regions
        expect(regions.filter(({ addressesKnown }) => addressesKnown !== 'none')).toEqual([
          {
            region: 'fra',
            agents: 1,
            userAgents: ['ProbeMesh/0.1.0 (uptime monitoring; +https://mesh.example.org/probes)'],
            addresses: ['192.0.9.1'],
            addressesKnown: 'all',
          },
        ])
      })
    } finally {
      await announced.close()
    }
  })
})
