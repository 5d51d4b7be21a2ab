import { ClickHouseError } from '@clickhouse/client'
import { expect, test } from 'vitest'
import { createReplicas } from './cluster.ts'

const away = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
const says = (code: number) => new ClickHouseError({ message: `${code}`, code: String(code) })

/** An action that fails for given replicas and records its calls. */
const someReplicas = (names: readonly string[]) => {
  const failing = new Map<string, Error>()
  const asked: string[] = []
  const use = createReplicas(names)
  const act = () =>
    use(async (name) => {
      asked.push(name)
      const failure = failing.get(name)
      if (failure !== undefined) throw failure
      return name
    })
  return { failing, act, asked: () => asked.splice(0) }
}

test('uses the replica that succeeded last, and others only if it is unavailable', async () => {
  const { failing, act, asked } = someReplicas(['a', 'b', 'c'])
  await act()
  failing.set('a', away())
  expect(await act()).toBe('b')
  expect(asked()).toEqual(['a', 'a', 'b'])
  failing.clear()
  expect(await act()).toBe('b')
  expect(asked()).toEqual(['b'])
})

test('tries each replica once, and reports that they are unavailable', async () => {
  const { failing, act, asked } = someReplicas(['a', 'b', 'c'])
  const failure = away()
  failing.set('a', says(60)).set('b', failure).set('c', says(81))
  await expect(act()).rejects.toBe(failure)
  expect(asked()).toEqual(['a', 'b', 'c'])
})

test.each([
  ['refuses the data', 27],
  ['refuses the password', 516],
])('an error of a replica that %s is final', async (_, code) => {
  const { failing, act, asked } = someReplicas(['a', 'b'])
  failing.set('a', says(code))
  await expect(act()).rejects.toMatchObject({ code: String(code) })
  await expect(act()).rejects.toThrow()
  expect(asked()).toEqual(['a', 'a'])
})

test.each([
  ['has no tables yet', says(60)],
  ['cannot reach a shard', says(279)],
  ['cannot write, without Keeper', says(242)],
])('an error of a replica that %s is retried on another one', async (_, failure) => {
  const { failing, act } = someReplicas(['a', 'b'])
  failing.set('a', failure)
  expect(await act()).toBe('b')
})

test('uses a replica last after a wait for it was abandoned', async () => {
  const { failing, act, asked } = someReplicas(['a', 'b'])
  failing.set('a', new Error('The user aborted a request.'))
  await expect(act()).rejects.toThrow('aborted')
  expect(await act()).toBe('b')
  expect(asked()).toEqual(['a', 'b'])
})
