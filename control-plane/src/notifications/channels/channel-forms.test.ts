import { useOnce } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import type { VendorForm } from './forms/testing/vendor.ts'
import { vendors } from './forms/testing/vendors.ts'
import { useTestApp } from '../../app/testing/test-app.ts'

const at = useTestApp({ config: { budgetScale: 1_000 } })
const account = useOnce(() => at.account('scale'))

const path = '/v1/notification-channels'
const create = (config: object) =>
  at.call('POST', path, { key: account.writeKey, body: { type: 'json', name: 'ops', config } })
const problems = async (config: object): Promise<[string, string][]> => {
  const { json } = await create(config)
  expect(json.code).toBe('SV-2001')
  return json.errors.map((each: { path: string; message: string }) => [each.path, each.message])
}
const template = { form: 'template', url: 'https://example.org/x', contentType: 'json', body: '{}' }

describe.each(Object.keys(vendors) as VendorForm[])('%s', (form) => {
  const config = vendors[form].config('https://vendor.example.org')
  const entries = Object.entries(config as Record<string, string>)

  test('is created, and no answer and no row shows its credential', async () => {
    const { status, json } = await create(config)
    expect(status).toBe(201)
    expect(json).toMatchObject({ type: 'json', verified: false, configSummary: { form } })
    const [row] = await at.sql<{ credential: Buffer; summary: unknown }[]>`
      select credential, summary from notification_channels where id = ${json.id}`
    const got = await at.call('GET', `${path}/${json.id}`, { key: account.readKey })
    const shown = [JSON.stringify([json, got.json, row?.summary]), row?.credential.toString('latin1')]
    for (const [key, value] of entries) {
      if (!/key|token|user|webhook/i.test(key)) continue
      for (const text of shown) expect(text).not.toContain(value)
    }
  })

  test('names every key that is missing or unknown', async () => {
    const found = await problems({ form, nonsense: 'x' })
    expect(found).toContainEqual(['config.nonsense', expect.any(String)])
    expect(found.length).toBeGreaterThan(1)
  })

  test('is not created with an unsafe address', async () => {
    for (const [key, value] of entries) {
      if (!value.startsWith('https://')) continue
      const unsafe = value.replace('vendor.example.org', '10.0.0.1')
      const { json } = await create({ ...config, [key]: unsafe })
      expect(json).toMatchObject({ code: 'SV-5001', errors: [{ path: `config.${key}` }] })
    }
  })
})

test('an unknown form is refused with the list of forms', async () => {
  expect(await problems({ form: 'pigeon', url: 'https://example.org/' })).toEqual([
    ['config.form', expect.stringMatching(/^must be one of default, slack, pagerduty, .*template$/)],
  ])
})

test('a template is refused with all its problems at once', async () => {
  const found = await problems({
    ...template,
    body: '{"text": "{{ titel }}"}',
    headers: 'Host: x\nX-A: 1\nTransfer-Encoding: chunked',
  })
  expect(found).toEqual([
    ['config.headers', 'line 1: host cannot be set'],
    ['config.headers', 'line 3: transfer-encoding cannot be set'],
    ['config.body', expect.stringContaining('names the unknown field "titel"')],
  ])
  expect(await problems({ ...template, body: '{"text": {{ title }}}' })).toEqual([
    ['config.body', expect.stringContaining('is not valid JSON')],
  ])
  expect((await create({ ...template, body: '{"text": "{{ title }}"}' })).status).toBe(201)
})

test('an update replaces the form and its keys together', async () => {
  const { json } = await create({ url: 'https://example.org/' })
  const change = (config: object) =>
    at.call('PATCH', `${path}/${json.id}`, { key: account.writeKey, body: { config } })
  const slack = { form: 'slack', webhookUrl: 'https://hooks.slack.com/services/abcdefgh' }
  expect((await change(slack)).json.configSummary).toEqual({
    form: 'slack',
    webhookUrl: 'https://hooks.slack.com/…efgh',
  })
  expect((await change({ form: 'ntfy', webhookUrl: slack.webhookUrl })).json.code).toBe('SV-2001')
  expect((await change({ form: 'default', url: 'https://example.org/' })).json.configSummary).toEqual({
    url: 'https://example.org/',
    signed: 'no',
  })
})
