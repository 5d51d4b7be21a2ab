import { expect, test } from 'vitest'
import { toObject, unknown, type Value } from '../protocol/value.ts'
import { planRegions } from './check-plan.ts'
import { check } from './check.ts'
import { attributePath } from './failure-diagnostics.ts'
import { notificationChannel } from './notification-channel.ts'
import { statusPageComponent } from './status-page-component.ts'
import { statusPage } from './status-page.ts'
import { configOf, planOf } from './testing.ts'

const web = { name: 'web', url: 'https://web.example.com' }

test.each<[Record<string, Value>, readonly unknown[]]>([
  [{}, []],
  [{ assertion_status_min: 200, assertion_status_max: 299 }, []],
  [{ assertion_status_min: 300, assertion_status_max: 299 }, [['assertion_status_min']]],
  [{ assertion_status_min: 300, assertion_status_max: unknown }, []],
  [{ assertion_body_op: 'contains' }, [['assertion_body_value']]],
  [{ assertion_body_op: 'contains', assertion_body_value: unknown }, []],
  [{ assertion_json_path: 'a.items[0].name', assertion_json_op: 'exists' }, []],
  [{ assertion_json_path: 'a[*]', assertion_json_op: 'exists' }, [['assertion_json_path']]],
  [{ assertion_json_path: 'a..b', assertion_json_op: 'exists' }, [['assertion_json_path']]],
  [{ assertion_json_path: 'a', assertion_json_op: 'equals' }, [['assertion_json_value']]],
])('assertions %j are wrong at %j', async (said, paths) => {
  const problems = (await check.validate?.(configOf(check, { ...web, ...said }))) ?? []
  expect(problems.map(({ path }) => path)).toEqual(paths)
  expect(JSON.stringify(problems)).not.toMatch(/assertion[A-Z]/)
})

test('a check cannot be planned without a URL, and can with one that is not known yet', () => {
  expect(planOf(check, { name: 'web' }, null).diagnostics).toMatchObject([{ path: ['url'] }])
  expect(planOf(check, { name: 'web', url: unknown }, null).diagnostics).toEqual([])
})

test.each<[string, Value, string, Value]>([
  ['named', ['fra'], '{"allRegions":false}', ['fra']],
  ['left out, of every region', null, '{"allRegions":true}', ['fra']],
  ['left out, of some', null, '{"allRegions":false}', unknown],
  ['left out, never read', null, '', ['fra']],
  ['left out, remembered by something else', null, 'null', ['fra']],
  ['not known yet', unknown, '{"allRegions":false}', ['fra']],
])('regions that are %s', (_, configured, remembered, planned) => {
  expect(planRegions(configured, ['fra'], new TextEncoder().encode(remembered))).toEqual(planned)
})

test.each([
  [check, 'assertionStatusMin', ['assertion_status_min']],
  [check, 'regions[2]', ['regions']],
  [check, 'nobody', []],
  [check, 'constructor', []],
  [check, '', []],
  [statusPage, 'links[1].url', ['links', 1, 'url']],
  [statusPage, 'links[1].toString', ['links', 1]],
  [statusPage, 'accentColor', ['accent_color']],
  [notificationChannel, 'config.webhookUrl', ['config', { key: 'webhookUrl' }]],
  [statusPageComponent, 'checkId', ['check_id']],
])('%o: %s of the API is %j here', ({ schema }, apiPath, path) => {
  expect(attributePath(schema, apiPath)).toEqual(path)
})

const uuid = '0190b2f0-0000-7000-8000-0000000000AA'

test.each([
  [check, uuid, { id: uuid.toLowerCase() }],
  [statusPage, uuid, { id: uuid.toLowerCase() }],
  [statusPageComponent, `${uuid}/${uuid}`, { status_page_id: uuid.toLowerCase(), id: uuid.toLowerCase() }],
  [check, 'web', null],
  [check, `${uuid} `, null],
  [statusPageComponent, uuid, null],
  [statusPageComponent, `${uuid}/`, null],
  [statusPageComponent, `${uuid}/${uuid}/`, null],
])('the import id of %o, %s', (resource, id, state) => {
  const imported = resource.importState(id)
  if (state === null) expect(imported).toMatchObject({ diagnostics: [{ severity: 'error' }] })
  else expect(imported).toEqual({ state: configOf(resource, state) })
})

test('a state of version 0 is one of version 1', () => {
  for (const { schema, upgrades } of [check, statusPage, statusPageComponent, notificationChannel]) {
    expect(schema.version).toBe(1)
    expect(upgrades?.[0]?.({ id: 'x' })).toEqual({ id: 'x' })
  }
  expect(toObject([])).toEqual({})
})
