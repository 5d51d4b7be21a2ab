import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import { resolverOf } from '../request/testing/ask.ts'
import { answering, assignmentOf, contextOf, lagOf, ok, setUp, unavailable } from '../run/testing/run.ts'
import { registerNameServerMetrics } from './name-server-metrics.ts'
import { addNameServers } from './add-name-servers.ts'

/** A runner with known name servers, and the hosts that they were requested for. */
const noting = (more: Parameters<typeof setUp>[0] = {}) => {
  const wanted: string[] = []
  const nameServers = {
    of: (host: string) => {
      wanted.push(host)
      return ['ns1.example.net', 'ns2.example.net']
    },
  }
  return { wanted, ...setUp(more, (run) => addNameServers(run, nameServers)) }
}

const fromCloudflare = 'HTTP/1.1 200 OK\r\nServer: cloudflare\r\nContent-Length: 2\r\n\r\nok'
const servers = ['ns1.example.net', 'ns2.example.net']
const catalog = { owner: 'catalog' as const }
const noAddress = resolverOf({ 'api.example.com': 'ENOTFOUND' })

describe('a reading of a catalog service contains', () => {
  test('the CDN of the answer, its address, and the name servers of its host', async () => {
    const { url } = await answering(fromCloudflare)
    const { run, wanted } = noting()
    expect(await run(url, catalog)).toMatchObject({
      verdict: 'up',
      address: '127.0.0.1',
      details: { type: 'http', cdn: 'cloudflare', nameServers: servers },
    })
    expect(wanted).toEqual(['127.0.0.1'])
  })

  test('no CDN when the answer names none', async () => {
    const { url } = await answering(ok)
    const { details } = await noting().run(url, catalog)
    expect(details).toEqual({ type: 'http', cdn: null, nameServers: servers })
  })

  test('the CDN of an answer that makes it down or blocked', async () => {
    const down = unavailable.replace('\r\n', '\r\nServer: CloudFront\r\n')
    const blocked = down.replace('503 Service Unavailable', '403 Forbidden')
    for (const [verdict, answer] of Object.entries({ down, blocked })) {
      const { url } = await answering(answer)
      expect(await noting().run(url, catalog)).toMatchObject({
        verdict,
        details: { cdn: 'cloudfront', nameServers: servers },
      })
    }
  })

  test('the CDN of the last answer, and the name servers of the check’s own host', async () => {
    const there = await answering(fromCloudflare)
    const here = await answering(
      `HTTP/1.1 302 Found\r\nServer: CloudFront\r\nLocation: ${there.url}\r\nContent-Length: 0\r\n\r\n`,
    )
    const { run, wanted } = noting({ resolver: resolverOf({}) })
    const url = here.url.replace('127.0.0.1', 'localhost')
    expect(await run(url, catalog)).toMatchObject({ details: { cdn: 'cloudflare' } })
    expect(wanted).toEqual(['localhost'])
  })

  test('the name servers also when its name was not resolved', async () => {
    const { run, wanted } = noting({ resolver: noAddress })
    expect(await run('https://api.example.com/', catalog)).toMatchObject({
      verdict: 'down',
      cause: 'dns_not_found',
      address: null,
      details: { type: 'http', cdn: null, nameServers: servers },
    })
    expect(wanted).toEqual(['api.example.com'])
  })

  test('its address and name servers also when the connection ended without an answer', async () => {
    const { url } = await answering((socket) => socket.destroy())
    expect(await noting().run(url, catalog)).toMatchObject({
      verdict: 'down',
      address: '127.0.0.1',
      details: { type: 'http', cdn: null, nameServers: servers },
    })
  })

  test('nothing when nothing was measured', async () => {
    const offline = { online: async () => false }
    const { run, wanted } = noting({ resolver: noAddress, connectivity: offline })
    const reading = await run('http://api.example.com/', catalog)
    expect(reading.verdict).toBe('unmeasured')
    expect(reading).not.toHaveProperty('details')
    expect(wanted).toEqual([])
  })
})

test('the answer of a target is evidence, also while the event loop was blocked', async () => {
  const { url } = await answering(unavailable)
  expect(await noting({ lag: lagOf(201) }).run(url, catalog)).toMatchObject({
    verdict: 'down',
    details: { type: 'http', cdn: null, nameServers: servers },
  })
})

test('a reading of an account’s own check contains the CDN of its answer, without a query', async () => {
  const [marked, plain] = [await answering(fromCloudflare), await answering(ok)]
  const { run, wanted } = noting()
  expect(await run(marked.url, { owner: 'account' })).toMatchObject({
    verdict: 'up',
    details: { type: 'http', cdn: 'cloudflare', nameServers: [] },
  })
  expect(await run(plain.url, { owner: 'account' })).not.toHaveProperty('details')
  expect(wanted).toEqual([])
})

test('a run of an account’s own check passes through unchanged, without another promise', () => {
  const running = new Promise<Reading>(() => undefined)
  const run = addNameServers(() => running, { of: () => servers })
  expect(run(assignmentOf('http://127.0.0.1/'), contextOf())).toBe(running)
})

test('exports the outcomes of lookups as metrics', async () => {
  const registry = new Registry()
  const counts = { begun: 7, dropped: 1, failed: 2, forgotten: 0 }
  registerNameServerMetrics(registry, { counts })
  const name = 'probe_mesh_agent_name_server_lookups_total'
  for (const look of [1, 2]) {
    const text = await registry.metrics()
    expect(text, `look ${look}`).toContain(`${name}{outcome="begun"} 7\n`)
    expect(text).toContain(`${name}{outcome="dropped"} 1\n`)
  }
})
