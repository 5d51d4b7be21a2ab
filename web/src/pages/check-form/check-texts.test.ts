import {
  CreateHttpCheckInput,
  CreateTypedCheckInput,
  editCheckInputs,
  EditHttpCheckInput,
  type TypedCheckType,
} from '@probe-mesh/contracts/check/check-input'
import { CheckType } from '@probe-mesh/contracts/check/check'
import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import { describe, expect, test } from 'vitest'
import { createBody, editBody, fieldNames, tagsIn, typedIn, typedOfCheck, typedOfNew } from './check-texts.ts'
import { typeForms } from '../check-fields/type-forms.ts'

const me = {
  regions: ['fra', 'iad'],
  limits: {
    monitors: { used: 0, allowed: 10 },
    minimumIntervalSeconds: 10,
    reads: { left: 1 },
    writes: { left: 1 },
  },
}
const check = {
  id: 'x',
  name: 'a',
  url: null,
  target: null,
  intervalSeconds: 60,
  regions: ['iad'],
  allRegions: false,
  paused: true,
  tags: ['shop'],
  private: false,
  ...noAssertions,
  status: 'unknown' as const,
  createdAt: '',
  updatedAt: '',
}

/** Every field of every type, with a value other than the default. */
const full = {
  tcp: { host: 'a.example', port: 443, send: 'a\r\nb', expect: '"<script>' },
  dns: {
    name: 'a.example',
    recordType: 'TXT',
    resolver: '9.9.9.9',
    expect: { op: 'equals', values: ['a', ' b '] },
  },
  smtp: { host: 'a.example', port: 465, security: 'tls', requireAuth: true },
  browser: {
    url: 'https://a.example/',
    titleContains: 'a',
    textContains: 'b',
    failOnConsoleErrors: true,
    lcpMsMax: 2500,
  },
  heartbeat: {
    periodSeconds: null,
    cron: '0 3 * * *',
    timeZone: 'Europe/Berlin',
    graceSeconds: 60,
    maxRuntimeSeconds: 600,
  },
} as const

describe.each(Object.entries(full))('a %s check', (type, settings) => {
  const typedType = type as Exclude<TypedCheckType, 'multistep'>
  const typed = typedOfCheck({ ...check, type: typedType }, { type: typedType, settings } as never)

  test('is created from its form as stored, and an unchanged form changes nothing', () => {
    const made = CreateTypedCheckInput.parse(createBody(typedType, typed))
    expect(made).toMatchObject({ type, name: 'a', settings })
    const edited = editCheckInputs[typedType].parse(editBody(typedType, typed))
    expect(edited).toMatchObject({ name: 'a', paused: true, tags: ['shop'], settings })
  })

  test('has a field for each of its settings', () => {
    const names = fieldNames(typedType, typed)
    for (const name of Object.keys(settings)) {
      const path = `settings.${name}`
      expect(names.some((each) => each === path || each.startsWith(`${path}.`))).toBe(true)
    }
  })
})

test.each(CheckType.options)('a new %s form lacks only its target', (type) => {
  const body = createBody(type, typedOfNew(type, me))
  const schema = type === 'http' ? CreateHttpCheckInput : CreateTypedCheckInput
  const paths = schema.safeParse(body).error?.issues.map(({ path }) => path.join('.')) ?? []
  const missing = {
    http: ['name', 'url'],
    multistep: ['name', 'steps.0.name', 'steps.0.url'],
    tcp: ['name', 'settings.host', 'settings.port'],
    dns: ['name', 'settings.name'],
    smtp: ['name', 'settings.host'],
    grpc: ['name', 'settings.host'],
    browser: ['name', 'settings.url'],
    heartbeat: ['name'],
  }
  expect([...new Set(paths)].toSorted()).toEqual(missing[type].toSorted())
})

test('every type is offered', () => {
  expect(Object.keys(typeForms).toSorted()).toEqual([...CheckType.options].toSorted())
})

test.each([
  ['443', 443],
  [' 443 ', 443],
  ['-1', -1],
  ['1.5', 1.5],
  ['4 43', '4 43'],
  ['1e3', '1e3'],
  ['0x1', '0x1'],
  ['', undefined],
])('the port %j is sent as %j', (typed, sent) => {
  const body = createBody('tcp', { 'settings.port': typed })
  expect((body['settings'] as Record<string, unknown>)['port']).toBe(sent)
})

test('an edit of an http check replaces its assertions, and an empty field clears its setting', () => {
  const typed = {
    name: 'a',
    url: 'https://a.example/',
    regions: 'fra',
    assertionStatusMin: '200',
    assertionBodyValue: '',
    timeoutSeconds: '',
  }
  const body = editBody('http', typed)
  expect(body).toEqual({
    name: 'a',
    url: 'https://a.example/',
    regions: ['fra'],
    tags: [],
    paused: false,
    timeoutSeconds: null,
    refusedAs: 'down',
    request: null,
    sendRegion: false,
    assertions: { assertionStatusMin: 200 },
  })
  expect(EditHttpCheckInput.safeParse(body).success).toBe(true)
})

test.each<[CheckType, Record<string, string>, string]>([
  ['http', { url: 'https://a.example/health/' }, 'a.example/health'],
  ['http', { url: 'https://a.example/', name: ' ' }, 'a.example'],
  ['http', { url: 'https://a.example/', name: 'Shop' }, 'Shop'],
  ['tcp', { 'settings.host': 'db.example' }, 'db.example'],
  ['dns', { 'settings.name': 'example.org' }, 'example.org'],
  ['browser', { 'settings.url': 'https://a.example/' }, 'a.example'],
  ['multistep', { 'steps[0].url': 'https://a.example/login' }, 'a.example/login'],
  ['heartbeat', {}, ''],
])('a %s check without a name has that of its target: %j', (type, typed, name) => {
  expect(createBody(type, typed)['name']).toBe(name)
})

test.each([
  ['', []],
  ['shop', ['shop']],
  [' shop , prod,, Shop,', ['shop', 'prod']],
])('the tags of %j are %j', (text, tags) => {
  expect(tagsIn(text)).toEqual(tags)
})

test('several chosen regions become one text, and none becomes an empty list', () => {
  const typed = typedIn(new URLSearchParams('regions=fra&regions=iad&act=save'))
  expect(typed).toEqual({ regions: 'fra,iad' })
  expect(createBody('http', typed)).toMatchObject({ regions: ['fra', 'iad'] })
  expect(createBody('http', typedIn(new URLSearchParams()))).toMatchObject({ regions: [] })
  expect(createBody('heartbeat', typed)).not.toHaveProperty('regions')
})

test('a new check has the shortest interval of its plan and type, or one minute', () => {
  const free = { ...me, limits: { ...me.limits, minimumIntervalSeconds: 300 } }
  expect(typedOfNew('http', free)).toMatchObject({ intervalSeconds: '300' })
  expect(typedOfNew('multistep', me)).toMatchObject({ intervalSeconds: '60' })
})
