import type { CheckConfig } from '@probe-mesh/contracts/check/check-config'
import { BrowserSettings } from '@probe-mesh/check-types/browser/settings'
import { DnsSettings } from '@probe-mesh/check-types/dns/settings'
import { SmtpSettings } from '@probe-mesh/check-types/smtp/settings'
import { TcpSettings } from '@probe-mesh/check-types/tcp/settings'
import { toStep } from '@probe-mesh/contracts/check/step'
import { expect, test } from 'vitest'
import { describeTarget } from './draft-check.ts'
import type { StoredConfig } from '../records/check/check-record.ts'

const tcp = (host: string, port: number): CheckConfig => ({
  type: 'tcp',
  settings: TcpSettings.parse({ host, port }),
})
const dns = (more: object): CheckConfig => ({
  type: 'dns',
  settings: DnsSettings.parse({ name: 'example.org', recordType: 'TXT', ...more }),
})
const step = (url: string) => toStep({ name: 'a', method: 'GET', url })

test.each<[StoredConfig, string | null, string | null]>([
  [tcp('example.org', 443), null, 'example.org:443'],
  [tcp('2001:db8::1', 443), null, '[2001:db8::1]:443'],
  [tcp('[2001:db8::1]', 443), null, '[2001:db8::1]:443'],
  [{ type: 'smtp', settings: SmtpSettings.parse({ host: 'mx.example.org' }) }, null, 'mx.example.org:25'],
  [dns({}), null, 'example.org TXT'],
  [dns({ resolver: '[2001:db8::53]:53' }), null, 'example.org TXT @[2001:db8::53]:53'],
  [
    {
      type: 'multistep',
      steps: [step('https://a.example.org/?b'), step('https://c.example.org/')],
    },
    'https://a.example.org/?b',
    null,
  ],
  [
    { type: 'browser', settings: BrowserSettings.parse({ url: 'https://example.org/' }) },
    null,
    'https://example.org/',
  ],
  [{ type: 'unknown' }, null, null],
])('%j', (config, url, target) => expect(describeTarget(config)).toEqual({ url, target }))
