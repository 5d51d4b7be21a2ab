import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import fc from 'fast-check'
import { Registry } from 'prom-client'
import { forAllAsync } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test, vi } from 'vitest'
import { createAdmission, type Admission, type Requester, type RequestClass } from './admission.ts'
import { startTestApp } from '../app/testing/test-app.ts'

const pending = () => Promise.withResolvers<string>()
const of = (requestClass: RequestClass, owner: string): Requester => ({ requestClass, owner })
/** The floor of an account is two requests; there are few places for them here. */
const floorPlaces = 4
const admissionOf = (max: number) => createAdmission({ registry: new Registry(), max, floorPlaces })

describe('admission', () => {
  /** Each account runs up to twenty requests. */
  const fill = (max: number, requestClass: RequestClass, count: number) => {
    const admission = admissionOf(max)
    const works = Array.from({ length: count }, pending)
    const admitted = works.map((work, n) =>
      admission.admit(of(requestClass, `${requestClass} ${n % Math.ceil(count / 20)}`), () => work.promise),
    )
    return { admission, works, refused: admitted.filter(isRefusal).length }
  }
  const isRefused = (admission: Admission, requester: Requester) =>
    isRefusal(admission.admit(requester, () => pending().promise))

  test.each([
    ['free', 50],
    ['growth', 75],
    ['scale', 100],
  ] as const)('admits %s requests up to place %i of 100', (requestClass, places) => {
    const { admission, refused } = fill(100, requestClass, places + 3)
    expect([refused, admission.underWay]).toEqual([3, places])
  })

  test('leaves places to higher plans when lower plans use up theirs', async () => {
    const { admission } = fill(100, 'free', 1_000)
    const third = async (requestClass: RequestClass): Promise<unknown> => {
      for (let n = 0; n < 2; n++) isRefused(admission, of(requestClass, requestClass))
      return admission.admit(of(requestClass, requestClass), async () => 'served')
    }
    expect([await third('growth'), await third('scale')]).toEqual(['served', 'served'])
    expect(isRefused(admission, of('keyless', '203.0.113.1'))).toBe(false)
    expect(isRefused(admission, of('keyless', '203.0.113.1'))).toBe(true)
  })

  test('limits one account to a quarter of the places, even if the others are free', () => {
    const admission = admissionOf(100)
    const refused = Array.from({ length: 40 }, () => isRefused(admission, of('scale', 'a')))
    expect(refused.filter((one) => !one)).toHaveLength(25)
    expect(isRefused(admission, of('scale', 'b'))).toBe(false)
  })

  test.each([2, 50, 1_000])(
    'serves an account at its floor while %i others use their full share',
    async (others) => {
      const admission = createAdmission({ registry: new Registry() })
      const floods = Array.from({ length: others }, (_, n) => of('scale', `other ${n}`))
      const works: ReturnType<typeof pending>[] = []
      for (let round = 0; round < 300; round++) {
        for (const other of floods) {
          const work = pending()
          if (isRefusal(admission.admit(other, () => work.promise))) continue
          works.push(work)
        }
        if (works.length >= 1_200 * 2 || (others === 2 && round > 260)) break
      }
      const answer = admission.admit(of('free', 'victim'), async () => 'served')
      expect(isRefusal(answer)).toBe(false)
      // each admitted request ends once
      for (const work of works) work.resolve('done')
      expect(await answer).toBe('served')
    },
  )

  test('on a busy loop the next turn is of the account that used least, not of the first in line', async () => {
    const admission = createAdmission({ registry: new Registry(), isBusy: () => true })
    const begun: string[] = []
    const ask = (owner: string) => {
      const work = pending()
      void admission.admit(of('growth', owner), () => {
        begun.push(owner)
        return work.promise
      })
      return work
    }
    const [first] = Array.from({ length: 27 }, (_, n) => ask(`attacker ${n % 3}`))
    ask('reader')
    await vi.waitFor(() => expect(begun).toHaveLength(2))
    first?.resolve('done')
    await vi.waitFor(() => expect(begun.length).toBeGreaterThan(2))
    expect(begun.slice(0, 4)).toContain('reader')
  })

  test('on a busy loop work that lasts keeps no turn', async () => {
    const admission = createAdmission({ registry: new Registry(), isBusy: () => true })
    const never = () => new Promise<string>(() => undefined)
    for (let run = 0; run < 20; run++) void admission.admit(of('growth', `runs ${run}`), never)
    expect(await admission.admit(of('growth', 'reader'), async () => 'served')).toBe('served')
  })

  test('lets accounts at their floor take turns', async () => {
    const admission = admissionOf(4)
    for (let n = 0; n < 4; n++) void admission.admit(of('scale', `${n}`), () => pending().promise)
    const held = Array.from({ length: floorPlaces }, pending)
    for (const [n, work] of held.entries())
      void admission.admit(of('free', `flood ${Math.floor(n / 2)}`), () => work.promise)
    const order: string[] = []
    const ask = (owner: string) =>
      admission.admit(of('free', owner), () => {
        order.push(owner)
        return pending().promise
      })
    for (let n = 0; n < 10; n++) ask('a')
    ask('b')
    ask('c')
    for (const work of held) {
      work.resolve('done')
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(order).toEqual(['a', 'b', 'c', 'a'])
  })

  test('does not make requests at the floor wait for manual runs', async () => {
    const admission = admissionOf(1)
    const flood = (isRun: boolean) =>
      Array.from({ length: 200 }, (_, n) =>
        admission.admit({ ...of('free', `flood ${n}`), isRun }, () => pending().promise),
      )
    flood(true)
    expect(await admission.admit(of('free', 'victim'), async () => 'served')).toBe('served')
  })

  test('refuses an account at its floor that waited too long', async () => {
    const admission = createAdmission({
      registry: new Registry(),
      max: 1,
      floorPlaces: 1,
      waitMsMax: 1,
    })
    for (const owner of ['a', 'b']) void admission.admit(of('scale', owner), () => pending().promise)
    expect(await admission.admit(of('scale', 'c'), async () => 'x')).toMatchObject({
      refused: 'SV-9002',
    })
  })

  test('releases a place when the work ends, also with an error', async () => {
    const { admission, works } = fill(4, 'scale', 1)
    const failing = admission.admit(of('scale', 'a'), () => Promise.reject(new Error('failed')))
    await expect(failing).rejects.toThrow('failed')
    expect(admission.underWay).toBe(1)
    works[0]?.resolve('done')
    await vi.waitFor(() => expect(admission.underWay).toBe(0))
  })

  test('never runs more requests than it has places', async () => {
    const steps = fc.array(
      fc.record({
        requestClass: fc.constantFrom<RequestClass>('free', 'growth', 'scale'),
        owner: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
        ends: fc.nat(3),
      }),
      { maxLength: 100 },
    )
    await forAllAsync([steps], { numRuns: 20 }, async (all) => {
      const admission = admissionOf(8)
      const running: { resolve(value: string): void }[] = []
      for (const { requestClass, owner, ends } of all) {
        const work = pending()
        void admission.admit(of(requestClass, owner), () => {
          running.push(work)
          return work.promise
        })
        expect(admission.underWay).toBeLessThanOrEqual(8 + floorPlaces)
        for (const one of running.splice(0, ends)) one.resolve('done')
        await new Promise((resolve) => setImmediate(resolve))
        expect(admission.underWay).toBe(running.length)
      }
      // all waiting requests are served as places are released
      for (let one = running.shift(); one !== undefined; one = running.shift()) {
        one.resolve('done')
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(admission.underWay).toBe(0)
    })
  })
})

test('a blocked database blocks no requests beyond the places, and every account keeps its floor', async () => {
  const at = await startTestApp({
    requestsUnderWayMax: 16,
    requestFloorPlaces: 2,
    config: { budgetScale: 100 },
  })
  try {
    const accounts = []
    for (let n = 0; n < 4; n++) accounts.push(await at.account('scale'))
    const victim = await at.account('growth')
    const list = (key: string) => at.call('GET', '/v1/checks', { key })
    for (const { readKey } of [...accounts, victim]) expect((await list(readKey)).status).toBe(200)
    const lock = Promise.withResolvers<void>()
    const isLocked = Promise.withResolvers<void>()
    const locking = at.sql.begin(async (tx) => {
      await tx`lock table checks in access exclusive mode`
      isLocked.resolve()
      await lock.promise
    })
    await isLocked.promise
    const waiting = accounts.flatMap(({ readKey }) => Array.from({ length: 4 }, () => list(readKey)))
    const underWay = async () => (await at.registry.metrics()).match(/^http_requests_under_way (\d+)/m)?.[1]
    await vi.waitFor(async () => expect(await underWay()).toBe('16'))
    const refused = await list(accounts[0]?.readKey ?? '')
    expect(refused).toMatchObject({ status: 503, json: { code: 'SV-9002' } })
    expect(refused.headers['retry-after']).toBe('2')
    for (let n = 0; n < 2; n++) waiting.push(list(victim.readKey))
    await vi.waitFor(async () => expect(await underWay()).toBe('18'))
    expect((await list(victim.readKey)).status).toBe(503)
    lock.resolve()
    await locking
    expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([200]))
    const text = await at.registry.metrics()
    expect(text).toContain('http_requests_overloaded_total{tier="growth"} 1')
    expect(text).toContain('http_requests_overloaded_total{tier="scale"} 1')
  } finally {
    await at.close()
  }
})
