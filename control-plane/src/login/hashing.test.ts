import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { expect, test } from 'vitest'
import { hashPassword, isCurrentHash } from './passwords/password.ts'
import { createHashing, decoyHash, turnOf } from './hashing.ts'

const crowd = (owner: string) => ({ pool: 'strangers', owner }) as const
/** Waits outlast any test: on a busy machine the hashes of a flood take longer than a login may. */
const patient = () => createHashing(600_000)

const member = (owner: string) => ({ pool: 'known', owner }) as const

test('a queue is bounded, in total and for one network', async () => {
  const hashing = patient()
  const works = Array.from({ length: 60 }, (_, n) => hashing.hash(crowd(`network ${n}`), 'password'))
  const results = await Promise.all(works)
  const refused = results.filter(isRefusal)
  expect(refused).toHaveLength(8)
  expect(refused[0]).toMatchObject({ refused: 'SV-9002', retryAfterSeconds: 1 })
  const own = await Promise.all(Array.from({ length: 30 }, () => hashing.hash(crowd('one'), 'password')))
  expect(own.filter(isRefusal)).toHaveLength(18)
  expect(hashing.pools.strangers).toMatchObject({ taken: 0, waiting: 0 })
})

test('a flood from one network delays another only by the running work', async () => {
  const hashing = patient()
  const begun: string[] = []
  // read when the work starts
  const wrong = (owner: string) => ({ normalize: () => (begun.push(owner), 'wrong') }) as unknown as string
  const work = (owner: string) => hashing.isPassword(crowd(owner), wrong(owner), null)
  const flood = Array.from({ length: 12 }, () => work('the flood'))
  await Promise.all([...flood, work('somebody')])
  // two are hashed at the same time, and the other network is next
  expect(begun.indexOf('somebody')).toBe(2)
})

test('a flood of unknown visitors does not use the places of known visitors', async () => {
  const { pools, isPassword } = patient()
  const flood = Array.from({ length: 80 }, (_, n) => isPassword(crowd(`network ${n}`), 'wrong', null))
  const known = isPassword(member('an account'), 'wrong', null)
  expect(pools.strangers).toMatchObject({ taken: 2, waiting: 50 })
  expect(pools.known).toMatchObject({ taken: 1, waiting: 0 })
  expect(await known).toBe(false)
  await Promise.all(flood)
})

test('all /64 of a /48 share one turn', () => {
  const widerNetworks = ['2001:db8:1:200/56', '2001:db8:1/48']
  expect(turnOf({ network: '2001:db8:1:2ff', widerNetworks }, null).owner).toBe('2001:db8:1/48')
  expect(turnOf({ network: '192.0.2.1', widerNetworks: [] }, null).owner).toBe('192.0.2.1')
})

test('failed work releases its place', async () => {
  const hashing = patient()
  const broken = { normalize: () => undefined } as unknown as string
  const results = await Promise.allSettled([1, 2, 3].map(() => hashing.hash(crowd('one'), broken)))
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(await hashing.hash(crowd('one'), 'password')).toMatch(/^\$argon2id\$/)
})

test('an unknown user costs the same work, and never succeeds', async () => {
  const hashing = patient()
  const turn = crowd('one')
  expect(isCurrentHash(decoyHash)).toBe(true)
  expect(await hashing.isPassword(turn, '', null)).toBe(false)
  expect(await hashing.isPassword(turn, 'password', null)).toBe(false)
  expect(await hashing.isPassword(turn, 'password', await hashPassword('password'))).toBe(true)
})
