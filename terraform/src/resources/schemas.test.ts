import { ChannelType } from '@probe-mesh/contracts/channel/channel'
import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import { CreateCheckInput } from '@probe-mesh/contracts/check/create-check-input'
import { CreateStatusPageInput } from '@probe-mesh/contracts/status-page/status-page'
import { expect, test } from 'vitest'
import { toObject, unknown, type ObjectValue, type Value } from '../protocol/value.ts'
import type { Api } from '../api/create-api.ts'
import type { Path } from '../protocol/diagnostic.ts'
import type { Resource } from '../protocol/resource.ts'
import { createProvider } from '../provider.ts'
import { channelTypes } from './notification-channel-schema.ts'
import { assertionNames, checkSchema } from './check-schema.ts'
import { snakeOf } from './failure-diagnostics.ts'
import { check } from './check.ts'
import { notificationChannel } from './notification-channel.ts'
import { pageFields, pageSchema } from './status-page-schema.ts'
import { statusPageComponent } from './status-page-component.ts'
import { statusPage } from './status-page.ts'
import { configOf } from './testing.ts'

test('a check has the fields of the API, and no others but id and type', () => {
  // the region header, the timeout, the meaning of a refusal and tags are set in the dashboard and over REST
  const { type: _, sendRegion, timeoutSeconds, refusedAs, tags, ...fields } = CreateCheckInput.shape
  expect([sendRegion, timeoutSeconds, refusedAs, tags]).not.toContain(undefined)
  expect(Object.keys(checkSchema.attributes).toSorted()).toEqual(
    ['id', 'type', ...Object.keys(fields).map(snakeOf)].toSorted(),
  )
  expect(Object.values<string>(assertionNames)).toEqual(Object.keys(noAssertions))
})

test('a page has the fields of the API, and no others but id, path and url', () => {
  const fields = Object.keys(CreateStatusPageInput.shape)
  expect(Object.values<string>(pageFields).toSorted()).toEqual(fields.toSorted())
  expect(Object.keys(pageSchema.attributes).toSorted()).toEqual(
    ['id', 'path', 'url', ...fields.map(snakeOf)].toSorted(),
  )
})

test('a channel has the types of the API', () => {
  expect(channelTypes).toEqual(ChannelType.options)
})

const web = { name: 'web', url: 'https://web.example.com/' }
const page = { name: 'Shop', slug: 'shop' }
const hook = { type: 'json', name: 'Ops', config: { url: 'https://hooks.example.com/' } }
const agent = 'private-0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f71'
const link = (url: Value): Record<string, Value> => ({ links: [{ label: 'Home', url } as ObjectValue] })

test.each<[Resource<Api>, Record<string, Value>, Path[]]>([
  [check, web, []],
  [check, { ...web, name: ' ', url: 'ftp://web.example.com/' }, [['name'], ['url']]],
  [check, { ...web, url: 'https://web.example.com/sl ow' }, [['url']]],
  [check, { ...web, url: 'https://wiki/' }, [['url']]],
  [check, { ...web, url: 'https://wiki/', regions: [agent] }, []],
  [check, { ...web, url: 'https://wiki/', regions: unknown }, []],
  [check, { ...web, url: 'https://wiki/', regions: [unknown] }, []],
  [check, { ...web, url: 'https://10.0.0.1/' }, []],
  [check, { name: unknown, url: unknown, interval_seconds: unknown }, []],
  // an imported check of another type has no URL
  [check, { name: 'a heartbeat' }, []],
  [check, { ...web, interval_seconds: 86_400 }, []],
  [check, { ...web, interval_seconds: 0 }, [['interval_seconds']]],
  [check, { ...web, interval_seconds: 60.5 }, [['interval_seconds']]],
  [check, { ...web, interval_seconds: 2n ** 64n }, [['interval_seconds'], ['interval_seconds']]],
  [check, { ...web, assertion_status_min: 99 }, [['assertion_status_min']]],
  [check, { ...web, assertion_json_op: 'regex' }, [['assertion_json_op']]],
  [check, { ...web, assertion_json_op: 'equals', assertion_json_path: unknown }, []],
  [check, { ...web, assertion_json_op: 'regex', assertion_json_path: unknown }, [['assertion_json_op']]],
  [check, { ...web, regions: ['fra'] }, []],
  [check, { ...web, regions: [] }, [['regions']]],
  [check, { ...web, regions: ['FRA'] }, [['regions']]],
  [check, { ...web, regions: ['fra', agent] }, [['regions']]],
  [statusPage, page, []],
  [statusPage, { ...page, slug: 'Bad Slug!' }, [['slug']]],
  [statusPage, { ...page, accent_color: 'blue', locale: 'klingon' }, [['accent_color'], ['locale']]],
  [statusPage, { ...page, theme_preset: 'sepia', font: 'comic' }, [['theme_preset'], ['font']]],
  [statusPage, { ...page, ...link('javascript:alert(1)') }, [['links', 0, 'url']]],
  [statusPage, { ...page, ...link(unknown) }, []],
  [statusPageComponent, { display_name: ' ' }, [['display_name']]],
  [notificationChannel, hook, []],
  [notificationChannel, { ...hook, name: '' }, [['name']]],
  [notificationChannel, { ...hook, config: toObject([['url', unknown]]) }, []],
  [notificationChannel, { ...hook, config: { url: 'no' } }, [['config', { key: 'url' }]]],
  [notificationChannel, { ...hook, config: {} }, [['config']]],
  [
    notificationChannel,
    { ...hook, config: { ...hook.config, toString: 'x' } },
    [['config', { key: 'toString' }]],
  ],
  [notificationChannel, { ...hook, config: null }, []],
  [notificationChannel, { ...hook, config_wo: hook.config, config_wo_version: 1 }, [['config_wo']]],
  [notificationChannel, { ...hook, config_wo_version: 1 }, [['config_wo_version']]],
  [notificationChannel, { ...hook, config: null, config_wo: hook.config }, [['config_wo_version']]],
  [notificationChannel, { ...hook, config: null, config_wo: hook.config, config_wo_version: 1 }, []],
])('%o with %o is wrong at %j', async (resource, said, paths) => {
  const problems = (await resource.validate?.(configOf(resource, said))) ?? []
  expect(problems.map(({ path }) => path)).toEqual(paths)
  expect(JSON.stringify(problems)).not.toMatch(/assertion[A-Z]|accentColor|intervalSeconds/)
})

test('describes every attribute, and allows defaults and keeps only for computed ones', () => {
  const { schema, resources, dataSources } = createProvider({ environment: {} })
  for (const { attributes } of [schema, ...[...resources, ...dataSources].map((each) => each.schema)]) {
    for (const [name, { description, presence, ...attribute }] of Object.entries(attributes)) {
      expect(description, name).toMatch(/\.$/)
      if (attribute.default !== undefined) expect(presence, name).toBe('optional_computed')
      if (attribute.keeps === true) expect(presence, name).toMatch(/computed$/)
    }
  }
})
