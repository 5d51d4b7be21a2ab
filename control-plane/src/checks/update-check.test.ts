import type { RunRequest } from '@probe-mesh/contracts/mesh/assignment'
import { useEach } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { useTestApp } from '../app/testing/test-app.ts'
import { readingAt } from '../status/testing.ts'
import { createTypedCheck } from './create-check.ts'
import { accepted, typedChecks, typedCheckTypes, writingContext } from '../app/testing/operation-context.ts'

const at = useTestApp({ config: { budgetScale: 1_000 } })
const account = useEach(() => at.account('scale'))

const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
  at.call(method, `/v1/checks${path}`, {
    key: account.writeKey,
    ...(body === undefined ? {} : { body }),
  })

describe.each(typedCheckTypes)('over REST a %s check', (type) => {
  const { body } = typedChecks[type]
  const create = async () =>
    accepted(
      await createTypedCheck(
        writingContext(at.sql),
        { accountId: account.id, actor: { kind: 'operator' } },
        body,
      ),
    )

  test('is not created, whole or with the fields of an http check', async () => {
    expect(await call('POST', '', body)).toMatchObject({ status: 422, json: { code: 'SV-2001' } })
    const asHttp = { type, name: 'web', url: 'https://example.org/' }
    expect(await call('POST', '', asHttp)).toMatchObject({
      status: 422,
      json: { code: 'SV-2001', errors: [{ path: 'type' }] },
    })
    expect((await call('GET', '')).json).toEqual({ checks: [] })
  })

  test.each([
    ['', { regions: ['fra'] }],
    ['/assertions', { assertionStatusMin: 200, assertionStatusMax: 299 }],
    ['/assertions', {}],
  ])('is not edited: PATCH %s %j', async (path, change) => {
    const check = await create()
    expect(await call('PATCH', `/${check.id}${path}`, change)).toMatchObject({
      status: 405,
      json: { code: 'SV-3005', message: expect.stringContaining(type) },
    })
    expect((await call('GET', '')).json).toEqual({ checks: [check] })
  })

  test('is deleted', async () => {
    const { id } = await create()
    expect(await call('DELETE', `/${id}`)).toMatchObject({ status: 200, json: { deleted: true } })
    expect((await call('GET', '')).json).toEqual({ checks: [] })
  })

  test('runs at once if it is probed', async () => {
    const { id } = await create()
    const asked: RunRequest[] = []
    const serving = await at.bus.runs.serve('fra', async (request) => {
      asked.push(request)
      const { at: slot, number, kind } = request
      const reading = readingAt('fra', 'up', slot, { checkId: id, slot, number, kind })
      return { agent: 'fra-1', reading }
    })
    const answer = await call('POST', `/${id}/run`)
    await serving.close()
    if (type === 'heartbeat') {
      expect(answer).toMatchObject({
        status: 405,
        json: { code: 'SV-3005', message: expect.stringContaining('waits for pings') },
      })
      expect(asked).toEqual([])
    } else {
      expect(answer).toMatchObject({ status: 200, json: { readings: [{ region: 'fra' }] } })
      expect(asked).toMatchObject([{ kind: 'manual', assignment: { checkId: id, type } }])
    }
  })
})

describe('PATCH of an http check', () => {
  const create = async (): Promise<string> =>
    (
      await call('POST', '', {
        name: 'web',
        url: 'https://example.org/',
        intervalSeconds: 30,
        timeoutSeconds: 5,
        tags: ['shop'],
      })
    ).json.id

  test('changes regions and timeout by the rules of a creation, and keeps the rest and the history', async () => {
    const id = await create()
    const changed = await call('PATCH', `/${id}`, { regions: ['fra', 'iad'], timeoutSeconds: 20 })
    expect(changed).toMatchObject({
      status: 200,
      json: { id, regions: ['fra', 'iad'], allRegions: false, timeoutSeconds: 20, tags: ['shop'] },
    })
    const all = await call('PATCH', `/${id}`, { regions: ['iad', 'sjc', 'fra', 'nrt'], timeoutSeconds: null })
    expect(all.json).toMatchObject({ allRegions: true })
    expect(all.json).not.toHaveProperty('timeoutSeconds')
    const revisions = await at.sql`select revision from check_revisions where check_id = ${id} order by 1`
    expect(revisions.map(({ revision }) => revision)).toEqual([1, 2, 3])
  })

  test.each<[string, object, string[]]>([
    ['of rules', { regions: ['fra', 'xyz'], timeoutSeconds: 28 }, ['regions[1]', 'timeoutSeconds']],
    ['of form and of rules', { regions: ['xyz'], timeoutSeconds: 0 }, ['regions[0]', 'timeoutSeconds']],
    ['of rules and of form', { regions: [], timeoutSeconds: 28 }, ['regions', 'timeoutSeconds']],
    [
      'of all fields',
      { regions: ['xyz'], timeoutSeconds: 28, tags: ['-x'], a: 1 },
      ['a', 'regions[0]', 'tags[0]', 'timeoutSeconds'],
    ],
  ])('is refused with all problems %s, and changes nothing', async (_, body, paths) => {
    const id = await create()
    const before = (await call('GET', `/${id}`)).json
    const refused = await call('PATCH', `/${id}`, body)
    expect(refused).toMatchObject({ status: 422, json: { code: 'SV-2001' } })
    expect(refused.json.errors.map(({ path }: { path: string }) => path).toSorted()).toEqual(paths)
    const after = (await call('GET', `/${id}`)).json
    expect([after.regions, after.timeoutSeconds, after.tags, after.updatedAt]).toEqual([
      before.regions,
      before.timeoutSeconds,
      before.tags,
      before.updatedAt,
    ])
  })
})
