import { expect, test } from 'vitest'
import { asUser, loggedIn } from './testing/log-in.ts'
import { startTestApp } from './testing.ts'
import { forgetInVisit, onceAVisit, oneVisit } from './one-visit.ts'

const counting = () => {
  let reads = 0
  return { read: async () => ++reads, reads: () => reads }
}

test('a visit reads once by each key, and another visit reads anew', async () => {
  const { read } = counting()
  const twice = () => Promise.all([onceAVisit('a', read), onceAVisit('a', read)])
  expect(await oneVisit(twice)).toEqual([1, 1])
  expect(await oneVisit(twice)).toEqual([2, 2])
  const both = async () => [await onceAVisit('a', read), await onceAVisit('b', read)]
  expect(await oneVisit(both)).toEqual([3, 4])
})

test('outside of a visit, and after a write, nothing is remembered', async () => {
  const { read } = counting()
  expect([await onceAVisit('a', read), await onceAVisit('a', read)]).toEqual([1, 2])
  const written = async () => {
    const before = await onceAVisit('a', read)
    forgetInVisit()
    return [before, await onceAVisit('a', read), await onceAVisit('a', read)]
  }
  expect(await oneVisit(written)).toEqual([3, 4, 4])
})

test('what a visit leaves running does not know what the visit knew', async () => {
  const { read } = counting()
  let later = (): void => {}
  const gate = new Promise<void>((resolve) => {
    later = resolve
  })
  let left: Promise<number> | null = null
  await oneVisit(async () => {
    await onceAVisit('a', read)
    left = gate.then(() => onceAVisit('a', read))
  })
  later()
  expect(await left).toBe(2)
})

test('visits at the same time do not share', async () => {
  const visit = (name: string) =>
    oneVisit(async () => {
      await Promise.resolve()
      return [await onceAVisit('a', async () => name), await onceAVisit('a', async () => 'other')]
    })
  expect(await Promise.all([visit('one'), visit('two')])).toEqual([
    ['one', 'one'],
    ['two', 'two'],
  ])
})

test('a page reads as one session, and what writes asks anew whether it still holds', async () => {
  const at = await startTestApp()
  try {
    const user = await loggedIn(at)
    const codes = await oneVisit(async () => {
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
