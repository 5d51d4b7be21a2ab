import { Probes, type RegionProbes } from '@probe-mesh/contracts/agent/probes'
import { describe, expect, test } from 'vitest'
import { useTestWeb } from '../../testing/test-web.ts'
import { addressesText } from './probes.ts'
import { asMarkdown } from '../as-markdown.ts'

const web = useTestWeb()

describe('the owner of a probed target learns who probes it', () => {
  test('as a page, as Markdown and as JSON, without a key', async () => {
    const page = await web.visitor().get('/probes')
    expect(page.status).toBe(200)
    expect(page.text).toContain('<h1>About our probes</h1>')
    expect(page.headers['set-cookie']).toBeUndefined()
    for (const href of ['/probes.json', asMarkdown('/probes')]) expect(page.text).toContain(`href="${href}"`)
    const markdown = await web.visitor().get(asMarkdown('/probes'))
    expect(markdown.headers['content-type']).toBe('text/markdown; charset=utf-8')
    expect(markdown.raw).toContain('# About our probes')
    const { json } = await web.at.call('GET', '/probes.json')
    expect(Probes.parse(json)).toMatchObject({ product: 'ProbeMesh', contact: null })
    for (const { text } of [page, markdown]) expect(text).toContain(json.robots.slice(0, 40))
  })

  test('and sees that addresses are unknown if they are not configured', async () => {
    const { json } = await web.at.call('GET', '/probes.json')
    expect(json.regions.map((one: RegionProbes) => one.addressesKnown)).toEqual(
      json.regions.map(() => 'none'),
    )
    expect((await web.visitor().get('/probes')).text).toContain('unknown</')
  })
})

test.each([
  ['none', [], 'unknown'],
  ['all', ['192.0.9.1', '192.0.9.2'], '192.0.9.1, 192.0.9.2'],
  ['some', ['192.0.9.1'], '192.0.9.1, and unknown ones'],
] as const)('addresses of which %s are known', (addressesKnown, addresses, text) => {
  const region = { region: 'fra', agents: 2, userAgents: [] }
  expect(addressesText({ ...region, addressesKnown, addresses: [...addresses] })).toBe(text)
})
