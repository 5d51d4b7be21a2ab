import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { useEach } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { assignmentOf } from './assignment-of.ts'
import { findCheck } from '../records/check/checks-store.ts'
import { useTestApp } from '../app/testing/test-app.ts'

const at = useTestApp({ config: { budgetScale: 1_000 } })
const account = useEach(() => at.account('scale'))

const key = () => account.writeKey
const create = (body: object) =>
  at.call('POST', '/v1/checks', {
    key: key(),
    body: { name: 'web', url: 'https://example.org/', ...body },
  })
const patch = (id: string, body: unknown) => at.call('PATCH', `/v1/checks/${id}`, { key: key(), body })
const get = async (id: string) => (await at.call('GET', `/v1/checks/${id}`, { key: key() })).json

/** The current assignment of a check. */
const assigned = async (id: string): Promise<Assignment | null> => {
  const check = await findCheck(at.sql, account.id, id)
  return check === null ? null : assignmentOf(check, 'fra')
}

describe('the timeout of a check', () => {
  test('is absent by default, and then follows from the interval', async () => {
    const { json } = await create({})
    expect([json.timeoutSeconds, json.refusedAs]).toEqual([undefined, undefined])
    expect(await assigned(json.id)).not.toHaveProperty('timeoutSeconds')
  })

  test('reaches agents from the creation on, is changed by PATCH and removed by null', async () => {
    const { status, json } = await create({ intervalSeconds: 10, timeoutSeconds: 9 })
    expect([status, json.timeoutSeconds]).toEqual([201, 9])
    expect(await assigned(json.id)).toMatchObject({ timeoutSeconds: 9, revision: 1 })
    expect((await patch(json.id, { timeoutSeconds: 2 })).json).toMatchObject({ timeoutSeconds: 2 })
    expect(await assigned(json.id)).toMatchObject({ timeoutSeconds: 2, revision: 2 })
    await patch(json.id, { regions: ['fra'] })
    expect(await get(json.id)).toMatchObject({ timeoutSeconds: 2, regions: ['fra'] })
    await patch(json.id, { timeoutSeconds: null })
    expect(await get(json.id)).not.toHaveProperty('timeoutSeconds')
  })

  test.each([
    [10, 10],
    [31, 300],
    [0, 60],
    [2.5, 60],
  ])('of %s s at an interval of %d s is refused', async (timeoutSeconds, intervalSeconds) => {
    const refused = { status: 422, json: { code: 'SV-2001', errors: [{ path: 'timeoutSeconds' }] } }
    expect(await create({ intervalSeconds, timeoutSeconds })).toMatchObject(refused)
    const { json } = await create({ intervalSeconds })
    expect(await patch(json.id, { timeoutSeconds })).toMatchObject(refused)
  })

  test('fits the fastest interval of the tier by default', async () => {
    expect((await create({ timeoutSeconds: 9 })).status).toBe(201)
    expect((await create({ timeoutSeconds: 10 })).status).toBe(422)
  })
})

test('the meaning of a refusal reaches agents, and other changes keep it', async () => {
  const { json } = await create({ refusedAs: 'blocked', sendRegion: true })
  expect(json.refusedAs).toBe('blocked')
  await patch(json.id, { timeoutSeconds: 3 })
  const told = { refusedAs: 'blocked', sendRegion: true, timeoutSeconds: 3 }
  expect(await assigned(json.id)).toMatchObject(told)
  expect((await patch(json.id, { refusedAs: 'down' })).json).not.toHaveProperty('refusedAs')
  expect(await assigned(json.id)).not.toHaveProperty('refusedAs')
  expect(await assigned(json.id)).toMatchObject({ sendRegion: true, timeoutSeconds: 3 })
})
