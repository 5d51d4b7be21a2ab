import type { RunRequest } from '@probe-mesh/contracts/mesh/assignment'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp } from '../http/testing.ts'
import type { TestAccount, TestApp } from '../http/testing.ts'
import { readingAt } from '../status/testing.ts'
import { createTypedCheck } from './create-check.ts'
import { accepted, typedChecks, typedCheckTypes, writingContext } from '../operations/testing.ts'

let at: TestApp
let account: TestAccount
beforeAll(async () => {
  at = await startTestApp({ config: { budgetScale: 1_000 } })
})
beforeEach(async () => {
  account = await at.account('scale')
})
afterAll(() => at.close())

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
