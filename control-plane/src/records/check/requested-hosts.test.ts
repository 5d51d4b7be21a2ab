import { toStep } from '@probe-mesh/contracts/check/step'
import { describe, expect, test } from 'vitest'
import { requestsOfPage } from '@probe-mesh/check-types/browser/settings'
import { requestedHosts, siteOf } from './requested-hosts.ts'
import { toStoredConfig, type StoredConfig } from './check-record.ts'

const http: StoredConfig = { type: 'http' }
const configOf = (type: string, more: object): StoredConfig => {
  const config = toStoredConfig({ type, ...more }, type)
  if (config.type === 'unknown') throw new Error(`no sound config of ${type}`)
  return config
}
const step = (url: string) => toStep({ name: 'a', method: 'GET', url })

describe('the site of a host', () => {
  test.each([
    ['example.org', 'example.org'],
    ['a.b.example.org', 'example.org'],
    ['shop.example.co.uk', 'example.co.uk'],
    ['somebody.github.io', 'somebody.github.io'],
    ['www.somebody.github.io', 'somebody.github.io'],
    ['192-0-9-1.nip.io', 'nip.io'],
    ['xn--bcher-kva.de', 'xn--bcher-kva.de'],
    ['192.0.9.1', '192.0.9.1'],
    ['2001:200::1', '2001:200:0:0'],
    ['2001:200:0:1:ffff::', '2001:200:0:1'],
    ['one.unlisted-suffix', 'one.unlisted-suffix'],
  ])('%s is %s', (host, site) => expect(siteOf(host)).toBe(site))
})

describe('the hosts of a check', () => {
  test.each([
    ['HTTPS://WWW.Example.org:443/a', ['www.example.org']],
    ['https://b%C3%BCcher.de./', ['xn--bcher-kva.de']],
    ['http://2130706434.example.org/', ['2130706434.example.org']],
    // private targets of an operator
    ['http://127.0.0.1:8080/', []],
    ['http://10.0.0.1/', []],
    ['http://localhost:3000/', []],
  ])('an http check of %s: %j', (url, hosts) => {
    expect(requestedHosts({ url, config: http }).map(({ host }) => host)).toEqual(hosts)
  })

  test('of a journey: one request per step', () => {
    const urls = ['https://a.example.org/', 'https://b.example.org/', 'https://a.example.org/x']
    const config = configOf('multistep', { steps: urls.map(step) })
    expect(requestedHosts({ url: null, config })).toEqual([
      { path: 'steps[0].url', host: 'a.example.org', site: 'example.org' },
      { path: 'steps[1].url', host: 'b.example.org', site: 'example.org' },
      { path: 'steps[2].url', host: 'a.example.org', site: 'example.org' },
    ])
  })

  test('a page counts as several requests', () => {
    const config = configOf('browser', {
      settings: {
        url: 'https://example.org/',
        titleContains: null,
        textContains: null,
        failOnConsoleErrors: false,
        lcpMsMax: null,
      },
    })
    expect(requestedHosts({ url: null, config })).toHaveLength(requestsOfPage)
  })

  test.each([
    ['tcp', { host: 'db.example.org', port: 5432, send: null, expect: null }, ['db.example.org']],
    [
      'smtp',
      { host: 'mail.example.org', port: 587, security: 'starttls', requireAuth: false },
      ['mail.example.org'],
    ],
  ])('a %s check sends requests to its host', (type, settings, hosts) => {
    const config = configOf(type, { settings })
    expect(requestedHosts({ url: null, config }).map(({ host }) => host)).toEqual(hosts)
  })

  test.each([
    ['8.8.4.4', ['8.8.4.4']],
    [null, []],
  ])('a dns check sends requests to its resolver, %s', (resolver, hosts) => {
    const config = configOf('dns', { settings: { name: 'example.org', recordType: 'A', resolver } })
    expect(requestedHosts({ url: null, config }).map(({ host }) => host)).toEqual(hosts)
  })

  test('of a newer version: none known', () => {
    expect(requestedHosts({ url: null, config: { type: 'unknown' } })).toEqual([])
  })
})
