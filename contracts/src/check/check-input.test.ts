import { describe, expect, test } from 'vitest'
import { CheckConfig } from './check-config.ts'
import {
  CreateTypedCheckInput,
  editCheckInputs,
  parseCheckInput,
  ReplaceStepsInput,
  toCheckConfig,
} from './check-input.ts'
import { limits } from '../schema/limits.ts'
import { isRefusal } from '../schema/refusal.ts'
import { noStepAssertions } from './step-assertions.ts'

const step = { name: 'home', method: 'GET', url: 'https://example.org/' }
const bodies = {
  tcp: { type: 'tcp', name: 'db', settings: { host: 'example.org', port: 5432 } },
  dns: { type: 'dns', name: 'zone', settings: { name: 'example.org', recordType: 'MX' } },
  smtp: { type: 'smtp', name: 'mail', settings: { host: 'mail.example.org' } },
  browser: { type: 'browser', name: 'page', settings: { url: 'https://example.org/' } },
  multistep: { type: 'multistep', name: 'login', steps: [step] },
  heartbeat: {
    type: 'heartbeat',
    name: 'backup',
    settings: { periodSeconds: 3_600, graceSeconds: 60 },
  },
} as const
type Type = keyof typeof bodies

const parse = (body: unknown) => parseCheckInput(CreateTypedCheckInput, body)
const withSettings = (type: Exclude<Type, 'multistep'>, settings: object) => ({
  ...bodies[type],
  settings: { ...bodies[type].settings, ...settings },
})
const withSteps = (...steps: object[]) => ({ ...bodies.multistep, steps })
const refusalOf = (body: unknown) => {
  const parsed = parse(body)
  if (!isRefusal(parsed)) throw new Error('the input is taken')
  return { code: parsed.refused, paths: parsed.errors.map(({ path }) => path) }
}

describe('each type', () => {
  test.each(Object.keys(bodies) as Type[])('%s is accepted with its required fields', (type) => {
    const parsed = parse(bodies[type])
    if (isRefusal(parsed)) throw new Error(JSON.stringify(parsed))
    const config = toCheckConfig(parsed)
    expect(config).toEqual(CheckConfig.parse(config))
    expect(config.type).toBe(type)
    expect(Object.keys(config).toSorted()).toEqual(
      type === 'multistep' ? ['steps', 'type'] : ['settings', 'type'],
    )
  })

  test.each<[string, object, object, string]>([
    [
      'tcp port',
      withSettings('tcp', { port: 65_535 }),
      withSettings('tcp', { port: 65_536 }),
      'settings.port',
    ],
    [
      'tcp text',
      withSettings('tcp', { send: 'PING\r\n' }),
      withSettings('tcp', { send: '' }),
      'settings.send',
    ],
    [
      'dns values',
      withSettings('dns', { expect: { op: 'includes', values: ['10 mx.example.org'] } }),
      withSettings('dns', { expect: { op: 'includes', values: [] } }),
      'settings.expect.values',
    ],
    [
      'dns type',
      withSettings('dns', { recordType: 'CAA' }),
      withSettings('dns', { recordType: 'ANY' }),
      'settings.recordType',
    ],
    [
      'smtp security',
      withSettings('smtp', { security: 'tls' }),
      withSettings('smtp', { security: 'ssl' }),
      'settings.security',
    ],
    [
      'browser paint',
      withSettings('browser', { lcpMsMax: limits.browserAttemptMsMax }),
      withSettings('browser', { lcpMsMax: limits.browserAttemptMsMax + 1 }),
      'settings.lcpMsMax',
    ],
    [
      'a page every',
      { ...bodies.browser, intervalSeconds: 60 },
      { ...bodies.browser, intervalSeconds: 59 },
      'intervalSeconds',
    ],
    [
      'a journey every',
      { ...bodies.multistep, intervalSeconds: 60 },
      { ...bodies.multistep, intervalSeconds: 59 },
      'intervalSeconds',
    ],
    [
      'a port every',
      { ...bodies.tcp, intervalSeconds: 1 },
      { ...bodies.tcp, intervalSeconds: 0 },
      'intervalSeconds',
    ],
    [
      'a heartbeat and its grace',
      withSettings('heartbeat', { graceSeconds: 1 }),
      withSettings('heartbeat', { graceSeconds: 0 }),
      'settings.graceSeconds',
    ],
    ['a heartbeat that is probed', bodies.heartbeat, { ...bodies.heartbeat, regions: ['fra'] }, 'regions'],
    [
      'a heartbeat with an interval',
      bodies.heartbeat,
      { ...bodies.heartbeat, intervalSeconds: 60 },
      'intervalSeconds',
    ],
    ['regions', { ...bodies.tcp, regions: ['fra'] }, { ...bodies.tcp, regions: [] }, 'regions'],
    ['paused', { ...bodies.dns, paused: true }, { ...bodies.dns, paused: 'yes' }, 'paused'],
    ['no steps', withSteps(step), withSteps(), 'steps'],
    [
      'a method',
      withSteps({ ...step, method: 'HEAD' }),
      withSteps({ ...step, method: 'TRACE' }),
      'steps[0].method',
    ],
    [
      'a body',
      withSteps({ ...step, body: 'x'.repeat(limits.stepBodyCharactersMax) }),
      withSteps({ ...step, body: 'x'.repeat(limits.stepBodyCharactersMax + 1) }),
      'steps[0].body',
    ],
    [
      'a content type',
      withSteps({ ...step, contentType: 'text/plain; charset=utf-8' }),
      withSteps({ ...step, contentType: 'text/plain\r\nX-A: b' }),
      'steps[0].contentType',
    ],
    [
      'a header',
      withSteps({
        ...step,
        assertions: { headerName: 'x-a', headerOp: 'equals', headerValue: '' },
      }),
      withSteps({ ...step, assertions: { headerName: 'x-a', headerOp: 'equals' } }),
      'steps[0].assertions.headerValue',
    ],
    ['a type', bodies.tcp, { ...bodies.tcp, type: 'http' }, 'type'],
    ['text', { ...bodies.tcp, name: 'a\ud83d\ude00' }, { ...bodies.tcp, name: 'a\ud83d' }, 'name'],
    [
      'a character',
      withSettings('tcp', { send: '\u0001' }),
      withSettings('tcp', { send: 'a\u0000' }),
      'settings.send',
    ],
  ])('%s: accepts the limit and refuses the next value', (_, valid, invalid, path) => {
    expect(isRefusal(parse(valid))).toBe(false)
    expect(refusalOf(invalid)).toEqual({ code: 'SV-2001', paths: [path] })
  })

  test.each([[null], [[]], ['text'], [7], [{}], [{ type: 'quic' }]])('%j is not a check', (body) => {
    expect(refusalOf(body).code).toBe('SV-2001')
  })

  test('lists all problems at once, including those of steps', () => {
    const found = refusalOf({
      type: 'multistep',
      name: ' ',
      intervalSeconds: 10,
      regions: ['FRA'],
      colour: 'red',
      steps: [
        { ...step, name: '', url: '' },
        step,
        { ...step, assertions: { statusMin: 300, statusMax: 200, colour: 1 } },
      ],
    })
    expect({ ...found, paths: found.paths.toSorted() }).toEqual({
      code: 'SV-2001',
      paths: [
        'colour',
        'intervalSeconds',
        'name',
        'regions[0]',
        'steps[0].name',
        'steps[0].url',
        'steps[2].assertions.colour',
        'steps[2].assertions.statusMin',
      ],
    })
  })

  test('absent fields of a step are unset', () => {
    const parsed = parse(withSteps(step))
    if (isRefusal(parsed)) throw new Error('refused')
    const unset = { body: null, contentType: null, assertions: noStepAssertions }
    expect(toCheckConfig(parsed)).toEqual({ type: 'multistep', steps: [{ ...step, ...unset }] })
  })
})

describe('"at most 10" steps', () => {
  const steps = (count: number) => Array.from({ length: count }, () => step)

  test('accepts 10 and refuses 11 with SV-2003 and all other problems', () => {
    expect(isRefusal(parse(withSteps(...steps(10))))).toBe(false)
    expect(refusalOf(withSteps(...steps(11)))).toEqual({ code: 'SV-2003', paths: ['steps'] })
    const bad = { ...step, assertions: { jsonPath: '*', jsonOp: 'exists' } }
    const found = refusalOf({ ...withSteps(...steps(10), bad), name: '' })
    expect({ ...found, paths: found.paths.toSorted() }).toEqual({
      code: 'SV-2003',
      paths: ['name', 'steps', 'steps[10].assertions.jsonPath'],
    })
  })
})

describe('a pattern language in a step is SV-2002 with its path', () => {
  test.each<[string, string]>([
    ['a[*].b', 'wildcards are not allowed (at character 3)'],
    ['abcd*', 'wildcards are not allowed (at character 5)'],
    ['a[?(@.b)]', 'filters are not allowed (at character 3)'],
    ['a..b', 'recursive descent is not allowed (at character 2)'],
    ['/^a$/', 'regular expressions are not allowed'],
  ])('the path %s', (jsonPath, message) => {
    const bad = { ...step, assertions: { jsonPath, jsonOp: 'exists' } }
    const refused = parseCheckInput(ReplaceStepsInput, { steps: [step, step, bad] })
    expect(refused).toMatchObject({
      refused: 'SV-2002',
      errors: [{ path: 'steps[2].assertions.jsonPath', message: expect.stringContaining(message) }],
    })
  })

  test.each([
    ['bodyOp', { bodyOp: 'regex', bodyValue: '^a' }],
    ['headerOp', { headerName: 'x-a', headerOp: 'matches', headerValue: '^a' }],
    ['jsonOp', { jsonPath: 'a', jsonOp: 'regex', jsonValue: '^a' }],
  ])('the op of %s', (op, assertions) => {
    const refused = parseCheckInput(ReplaceStepsInput, { steps: [{ ...step, assertions }] })
    expect(refused).toMatchObject({
      refused: 'SV-2002',
      errors: [{ path: `steps[0].assertions.${op}` }],
    })
  })
})

describe('a change', () => {
  test.each(Object.keys(bodies) as Type[])('of a %s may be empty', (type) => {
    expect(parseCheckInput(editCheckInputs[type], {})).toEqual({})
  })

  test.each<[Type, object, string]>([
    ['tcp', { steps: [step] }, 'steps'],
    ['tcp', { type: 'smtp' }, 'type'],
    ['dns', { regions: [] }, 'regions'],
    ['smtp', { settings: { port: 25 } }, 'settings.host'],
    ['browser', { intervalSeconds: 59 }, 'intervalSeconds'],
    ['multistep', { steps: [] }, 'steps'],
    ['multistep', { settings: {} }, 'settings'],
    ['heartbeat', { intervalSeconds: 60 }, 'intervalSeconds'],
  ])('of a %s with %j is refused', (type, body, path) => {
    const refused = parseCheckInput(editCheckInputs[type], body)
    expect(refused).toMatchObject({ refused: 'SV-2001', errors: [{ path }] })
  })
})
