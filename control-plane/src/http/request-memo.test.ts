import { expect, test } from 'vitest'
import { asUser, loggedIn } from '../app/testing/log-in.ts'
import { startTestApp } from '../app/testing/test-app.ts'
import { clearRequestMemo, memoized, withRequestMemo } from './request-memo.ts'

const counting = () => {
  let reads = 0
  return { read: async () => ++reads, reads: () => reads }
}

test('a request reads each key once, and another request reads again', async () => {
  const { read } = counting()
  const twice = () => Promise.all([memoized('a', read), memoized('a', read)])
  expect(await withRequestMemo(twice)).toEqual([1, 1])
  expect(await withRequestMemo(twice)).toEqual([2, 2])
  const both = async () => [await memoized('a', read), await memoized('b', read)]
  expect(await withRequestMemo(both)).toEqual([3, 4])
})

test('outside of a request, and after a write, nothing is cached', async () => {
  const { read } = counting()
  expect([await memoized('a', read), await memoized('a', read)]).toEqual([1, 2])
  const written = async () => {
    const before = await memoized('a', read)
    clearRequestMemo()
    return [before, await memoized('a', read), await memoized('a', read)]
  }
  expect(await withRequestMemo(written)).toEqual([3, 4, 4])
})

test('work that outlives a request has no access to its cache', async () => {
  const { read } = counting()
  let later = (): void => {}
  const gate = new Promise<void>((resolve) => {
    later = resolve
  })
  let left: Promise<number> | null = null
  await withRequestMemo(async () => {
    await memoized('a', read)
    left = gate.then(() => memoized('a', read))
  })
  later()
  expect(await left).toBe(2)
})

test('concurrent requests do not share a cache', async () => {
  const visit = (name: string) =>
    withRequestMemo(async () => {
      await Promise.resolve()
      return [await memoized('a', async () => name), await memoized('a', async () => 'other')]
    })
  expect(await Promise.all([visit('one'), visit('two')])).toEqual([
    ['one', 'one'],
    ['two', 'two'],
  ])
})

test('a page looks its session up once for reads, and again for writes', async () => {
  const at = await startTestApp()
  try {
    const user = await loggedIn(at)
    const codes = await withRequestMemo(async () => {
      const before = await asUser(at, user, 'GET', '/session')
      await at.sql`delete from sessions where account_id = ${user.accountId}`
      const read = await asUser(at, user, 'GET', '/keys')
      const written = await asUser(at, user, 'POST', '/keys', { name: 'key', scope: 'read' })
      const after = await asUser(at, user, 'GET', '/keys')
      return [before, read, written, after].map(({ status }) => status)
    })
    expect(codes).toEqual([200, 200, 401, 401])
    expect((await asUser(at, user, 'GET', '/keys')).status).toBe(401)
  } finally {
    await at.close()
  }
})
