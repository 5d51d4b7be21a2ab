import { createTypedCheck } from '@probe-mesh/control-plane/checks/create-check'
import { useTestApp } from '@probe-mesh/control-plane/src/app/testing/test-app'
import {
  accepted,
  typedChecks,
  writingContext,
} from '@probe-mesh/control-plane/src/app/testing/operation-context'
import { describe, expect, test } from 'vitest'
import { unknown, type ObjectValue, type Value } from '../protocol/value.ts'
import { check } from './check.ts'
import { valueOf } from './settle.ts'
import { linesOf, openAccount, planOf, stateOf } from './testing.ts'

const at = useTestApp()

const web = { name: 'web', url: 'https://Web.example.com' }
const live = ['iad', 'sjc', 'fra', 'nrt']
const idOf = (state: ObjectValue): string => String(valueOf(state, 'id'))

const open = async (...of: Parameters<typeof openAccount> extends [unknown, ...infer R] ? R : never) => {
  const own = await openAccount(at, ...of)
  const create = async (said: Record<string, Value>, api = own.api) =>
    check.create(api, planOf(check, said, null).planned, own.context)
  const made = async (said: Record<string, Value>) => stateOf(await create(said))
  const read = (state: ObjectValue, api = own.open()) => check.read(api, state, own.context)
  const list = async () => (await at.call('GET', '/v1/checks', { key: own.account.readKey })).json.checks
  /** Refresh, plan, and update where there is anything to do. */
  const apply = async (said: Record<string, Value>, state: ObjectValue) => {
    const refreshed = await read(state)
    const prior = stateOf(refreshed)
    const plan = planOf(check, said, prior, refreshed.private)
    if (plan.changed.length === 0) return { plan, state: prior }
    const applied = await check.update(own.api, prior, plan.planned, own.context)
    return { plan, state: stateOf(applied) }
  }
  return { ...own, create, made, read, list, apply }
}

test('creates a check as written, reads it back and plans nothing', async () => {
  const own = await open()
  const said = {
    ...web,
    regions: ['fra', 'iad'],
    assertion_status_min: 200,
    assertion_json_path: 'a.b',
    assertion_json_op: 'exists',
  }
  const state = await own.made(said)
  expect(state).toMatchObject({
    ...said,
    type: 'http',
    interval_seconds: 60,
    assertion_body_op: null,
  })
  expect(own.calls).toMatchObject([
    {
      line: 'POST /checks',
      key: expect.stringMatching(/^[\w-]{36}$/),
      client: expect.stringMatching(/^terraform-provider-service\/\d/),
    },
  ])
  const { plan } = await own.apply({ ...said, regions: ['iad', 'fra'] }, state)
  expect(plan).toMatchObject({ changed: [], diagnostics: [] })
})

test('changes regions and assertions in place, and replaces on name, url or interval', async () => {
  const own = await open()
  const state = await own.made({ ...web, assertion_status_min: 200 })
  own.calls.splice(0)
  const next = await own.apply(
    { ...web, regions: ['fra'], assertion_body_op: 'contains', assertion_body_value: 'ok' },
    state,
  )
  expect(next.plan.replaces).toEqual([])
  expect(next.state).toMatchObject({
    id: idOf(state),
    regions: ['fra'],
    assertion_status_min: null,
    assertion_body_value: 'ok',
  })
  expect(linesOf(own.calls).slice(1)).toEqual([
    `PATCH /checks/${idOf(state)}`,
    `PATCH /checks/${idOf(state)}/assertions`,
  ])
  expect(await own.list()).toMatchObject([
    { regions: ['fra'], assertionStatusMin: null, assertionBodyValue: 'ok' },
  ])
  for (const [name, value] of [
    ['name', 'other'],
    ['url', 'https://web.example.com/'],
    ['interval_seconds', 120],
  ] as const) {
    expect(planOf(check, { ...web, [name]: value }, next.state).replaces).toEqual([name])
  }
})

test('keeps the new regions in the state when the assertions are refused', async () => {
  const own = await open()
  const state = await own.made(web)
  const { planned } = planOf(
    check,
    { ...web, regions: ['fra'], assertion_json_path: 'a[*]', assertion_json_op: 'exists' },
    state,
  )
  const applied = await check.update(own.api, state, planned, own.context)
  expect(applied.state).toMatchObject({ regions: ['fra'], assertion_json_path: null })
  expect(applied.diagnostics).toMatchObject([
    { path: ['assertion_json_path'], summary: expect.stringContaining('SV-2002') },
  ])
  expect(stateOf(await own.read(state))).toEqual(applied.state)
})

describe('regions that are left out are every live region', () => {
  test('from the beginning, and after they were named', async () => {
    const own = await open()
    const state = await own.made({ ...web, regions: ['fra'] })
    const { plan, state: after } = await own.apply(web, state)
    expect(plan.changed).toEqual(['regions'])
    expect(valueOf(plan.planned, 'regions')).toBe(unknown)
    expect(after).toMatchObject({ regions: live })
    expect(await own.list()).toMatchObject([{ allRegions: true }])
    expect((await own.apply(web, after)).plan.changed).toEqual([])
    expect((await own.apply({ ...web, regions: live.toReversed() }, after)).plan.changed).toEqual([])
  })

  test('also of what was imported, and of what somebody narrowed', async () => {
    const own = await open()
    const { id } = (
      await at.call('POST', '/v1/checks', {
        key: own.account.writeKey,
        body: { ...web, regions: ['fra'] },
      })
    ).json
    const imported = check.importState(id.toUpperCase())
    if (!('state' in imported)) throw new Error('refused')
    const { plan, state } = await own.apply(web, imported.state)
    expect(plan.changed).toEqual(['regions'])
    expect(state).toMatchObject({ id, regions: live })
  })
})

test('plans to create a check that is gone, and deletes it again without an error', async () => {
  const own = await open()
  const state = await own.made(web)
  expect(await check.remove(own.api, state, own.context)).toEqual([])
  expect(await own.read(state)).toEqual({ state: null, diagnostics: [] })
  expect(await check.remove(own.api, state, own.context)).toEqual([])
})

test('shares one listing among reads until a write', async () => {
  const own = await open()
  const states = [await own.made(web), await own.made(web), await own.made(web)]
  own.calls.splice(0)
  const api = own.open()
  for (const state of await Promise.all(states.map((each) => own.read(each, api)))) {
    expect(state.state).toMatchObject(web)
  }
  expect(linesOf(own.calls)).toEqual(['GET /checks'])
  await own.create(web, api)
  await Promise.all(states.map((state) => own.read(state, api)))
  expect(linesOf(own.calls)).toEqual(['GET /checks', 'POST /checks', 'GET /checks'])
})

describe('checks of other types', () => {
  const imported = async (type: keyof typeof typedChecks) => {
    const own = await open()
    const writer = { accountId: own.account.id, actor: { kind: 'operator' } } as const
    const made = accepted(
      await createTypedCheck(writingContext(at.sql), writer, {
        ...typedChecks[type].body,
        name: 'other',
      }),
    )
    const stub = check.importState(made.id)
    if (!('state' in stub)) throw new Error('refused')
    const { state, private: remembered } = await own.read(stub.state)
    if (state === null) throw new Error('gone')
    return {
      ...own,
      state,
      plan: (said: Record<string, Value>) => planOf(check, said, state, remembered),
    }
  }

  test.each(['tcp', 'dns', 'smtp', 'browser', 'multistep', 'heartbeat'] as const)(
    '%s is imported, planned as nothing and destroyed',
    async (type) => {
      const { plan, state, api, context } = await imported(type)
      expect(plan({ name: 'other' })).toMatchObject({ changed: [], diagnostics: [] })
      expect(await check.remove(api, state, context)).toEqual([])
    },
  )

  test('refuses a plan that would replace or change one, at its attribute', async () => {
    const { plan } = await imported('tcp')
    const { diagnostics } = plan({
      name: 'x',
      url: 'https://e.com/',
      interval_seconds: 90,
      regions: ['fra'],
      assertion_status_min: 200,
    })
    expect(diagnostics.map(({ path }) => path)).toEqual([
      ['name'],
      ['url'],
      ['interval_seconds'],
      ['regions'],
      ['assertion_status_min'],
    ])
    expect(plan({ name: unknown, url: unknown }).diagnostics).toEqual([])
  })
})

test.each<[Record<string, Value>, string, readonly unknown[]]>([
  [{ ...web, url: 'http://10.0.0.1/' }, 'SV-5001', ['url']],
  [{ ...web, regions: ['fra', 'xxx'] }, 'SV-2001', ['regions']],
  [{ ...web, interval_seconds: 10 }, 'SV-4002', ['interval_seconds']],
  [{ ...web, assertion_body_op: 'contains' }, 'SV-2001', ['assertion_body_value']],
  [{ ...web, name: ' ' }, 'SV-2001', ['name']],
])('%j is refused with %s at %j', async (said, code, path) => {
  const { create } = await open()
  const { state, diagnostics } = await create(said)
  expect(state).toBeNull()
  expect(diagnostics).toMatchObject([
    { severity: 'error', path, summary: `The check was not created (${code})` },
  ])
})

test('reads and plans with a read-only key, and reports SV-1004 on a change', async () => {
  const { account, made } = await open()
  const state = await made(web)
  const reader = await open({ scope: 'read', account })
  expect(stateOf(await reader.read(state))).toMatchObject(web)
  const { planned } = planOf(check, { ...web, regions: ['fra'] }, state)
  const refusals = [
    (await reader.create(web)).diagnostics,
    (await check.update(reader.api, state, planned, reader.context)).diagnostics,
    await check.remove(reader.api, state, reader.context),
  ]
  for (const diagnostics of refusals) {
    expect(diagnostics).toMatchObject([
      {
        path: [],
        summary: expect.stringContaining('SV-1004'),
        detail: expect.stringContaining('`api_key`'),
      },
    ])
  }
})

test('creates one check when the response to the create is lost', async () => {
  const own = await open({ isLost: (call) => call <= 2 })
  const state = await own.made(web)
  expect(own.calls).toHaveLength(3)
  expect(new Set(own.calls.map(({ key }) => key)).size).toBe(1)
  expect(await own.list()).toMatchObject([{ id: idOf(state) }])
  await own.made(web)
  expect(new Set(own.calls.map(({ key }) => key)).size).toBe(2)
})

test('deletes a check when the response to the delete is lost', async () => {
  const own = await open({ isLost: (call) => call === 2 })
  const state = await own.made(web)
  expect(await check.remove(own.api, state, own.context)).toEqual([])
  expect(linesOf(own.calls)).toEqual([
    'POST /checks',
    ...Array.from({ length: 2 }, () => `DELETE /checks/${idOf(state)}`),
  ])
})

test('completes 60 creates with a quota of 30 a minute, each waiting at most once', async () => {
  const own = await open()
  const states = []
  for (let n = 0; n < 60; n++) states.push(await own.made({ ...web, name: `web-${n}` }))
  expect(states).toHaveLength(60)
  expect(own.pauses.length).toBeGreaterThan(0)
})

test('warns of an unmanaged check with the same name and URL', async () => {
  const own = await open()
  const left = await own.made(web)
  const fresh = planOf(check, web, null)
  const notice = (api = own.open(), prior: ObjectValue | null = null) =>
    check.review?.(api, { ...fresh, prior, private: new Uint8Array() }, own.context)
  expect(await notice()).toMatchObject([{ severity: 'warning', detail: expect.stringContaining(idOf(left)) }])
  const api = own.open()
  await own.read(left, api)
  expect(await notice(api)).toEqual([])
  const replacing = own.open()
  expect(await notice(replacing, left)).toEqual([])
  expect(await notice(replacing)).toEqual([])
})
