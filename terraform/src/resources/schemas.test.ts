import { channelConfigs } from '@probe-mesh/contracts/channel/channel'
import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import { CreateCheckInput } from '@probe-mesh/contracts/check/create-check-input'
import { CreateStatusPageInput, pageFonts, themePresets } from '@probe-mesh/contracts/status-page/status-page'
import { expect, test } from 'vitest'
import type { Attribute } from '../protocol/schema.ts'
import type { Value } from '../protocol/value.ts'
import { createProvider } from '../provider.ts'
import { assertionNames, checkSchema } from './check-schema.ts'
import { snakeOf } from './failure-diagnostics.ts'
import { configKeys } from './notification-channel.ts'
import { pageAttributes, pageFields, pageSchema } from './page-schema.ts'

const accepts = (attribute: Attribute | undefined, value: Value): boolean =>
  attribute?.validate?.(value, ['x']).length === 0

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

test('the themes, fonts and config keys are those of the API', () => {
  const { theme_preset, font } = pageAttributes
  expect(themePresets.every((theme) => accepts(theme_preset, theme))).toBe(true)
  expect(pageFonts.every((each) => accepts(font, each))).toBe(true)
  expect([accepts(theme_preset, 'sepia'), accepts(font, 'comic')]).toEqual([false, false])
  for (const [type, { shape }] of Object.entries(channelConfigs)) {
    const { required, optional } = configKeys[type as keyof typeof configKeys]
    expect([...required, ...optional]).toEqual(Object.keys(shape))
    const needed = Object.entries(shape).filter(([, key]) => !key.safeParse(undefined).success)
    expect(required).toEqual(needed.map(([key]) => key))
  }
})

test.each<[string, Value, boolean]>([
  ['interval_seconds', 1, true],
  ['interval_seconds', 86_400, true],
  ['interval_seconds', 0, false],
  ['interval_seconds', 86_401, false],
  ['interval_seconds', 60.5, false],
  ['interval_seconds', 2n ** 64n, false],
  ['assertion_status_min', 100, true],
  ['assertion_status_min', 99, false],
  ['assertion_status_max', 599, true],
  ['assertion_status_max', 600, false],
  ['assertion_body_op', 'not_contains', true],
  ['assertion_body_op', 'matches', false],
  ['assertion_json_op', 'exists', true],
  ['assertion_json_op', 'regex', false],
  ['regions', ['fra'], true],
  ['regions', [], false],
  ['regions', ['FRA'], false],
])('%s of %s is sound: %s', (name, value, isSound) => {
  expect(accepts(checkSchema.attributes[name], value)).toBe(isSound)
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
