import { isRefusal } from '@probe-mesh/contracts/refusal'
import fc from 'fast-check'
import { Registry } from 'prom-client'
import { describe, expect, test, vi } from 'vitest'
import { createAdmission } from './admission.ts'
import type { Asking } from './admission.ts'
import { startTestApp } from './testing.ts'

const pending = () => Promise.withResolvers<string>()

describe('admission', () => {
  const fill = (max: number, asking: Asking, count: number) => {
    const admission = createAdmission({ registry: new Registry(), max })
    const works = Array.from({ length: count }, pending)
    const admitted = works.map((work) => admission.admit(asking, () => work.promise))
    return { admission, works, refused: admitted.filter(isRefusal).length }
  }

  test.each([
    ['keyless', 50],
    ['free', 50],
    ['growth', 75],
    ['scale', 100],
  ] as const)('of 100 places %s gets up to the %ith', (asking, places) => {
    const { admission, refused } = fill(100, asking, places + 3)
    expect([refused, admission.underWay]).toEqual([3, places])
  })

  test('leaves room to those who pay more when those who pay less have filled theirs', () => {
    const { admission } = fill(100, 'free', 1_000)
    const admit = (asking: Asking) => isRefusal(admission.admit(asking, () => pending().promise))
    expect([admit('keyless'), admit('free'), admit('growth'), admit('scale')]).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  test('gives a place back when the work ends, however it does', async () => {
    const { admission, works } = fill(2, 'scale', 2)
    expect(isRefusal(admission.admit('scale', async () => 'x'))).toBe(true)
    works[0]?.resolve('done')
    await vi.waitFor(() => expect(admission.underWay).toBe(1))
    const failing = admission.admit('scale', () => Promise.reject(new Error('failed')))
    await expect(failing).rejects.toThrow('failed')
    expect(admission.underWay).toBe(1)
  })

  test('never has more under way than its places, whoever comes and goes', async () => {
    const steps = fc.array(
      fc.record({
        asking: fc.constantFrom<Asking>('keyless', 'free', 'growth', 'scale'),
        ends: fc.nat(3),
      }),
      { maxLength: 100 },
    )
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const admission = createAdmission({ registry: new Registry(), max: 8 })
        const running: { resolve(value: string): void }[] = []
        let admitted = 0
        for (const { asking, ends } of all) {
          const work = pending()
          if (!isRefusal(admission.admit(asking, () => work.promise))) {
            running.push(work)
            admitted += 1
          }
          expect(admission.underWay).toBeLessThanOrEqual(8)
          for (const one of running.splice(0, ends)) {
            one.resolve('done')
            admitted -= 1
          }
          await new Promise((resolve) => setImmediate(resolve))
          expect(admission.underWay).toBe(admitted)
        }
      }),
      { numRuns: 20 },
    )
  })
})

test('a store that stands still makes nobody wait beyond the places, and who pays most has the last', async () => {
  const at = await startTestApp({ requestsUnderWayMax: 4, config: { budgetScale: 100 } })
  try {
    const [growth, scale] = [await at.account('growth'), await at.account('scale')]
    const list = (key: string) => at.call('GET', '/v1/checks', { key })
    expect([await list(growth.readKey), await list(scale.readKey)]).toMatchObject([
      { status: 200 },
      { status: 200 },
    ])
    const lock = Promise.withResolvers<void>()
    const isLocked = Promise.withResolvers<void>()
    const locking = at.sql.begin(async (tx) => {
      await tx`lock table checks in access exclusive mode`
      isLocked.resolve()
      await lock.promise
    })
    await isLocked.promise
    const waiting = [list(growth.readKey), list(growth.readKey), list(growth.readKey)]
    const underWay = async () =>
      (await at.registry.metrics()).match(/^http_requests_under_way (\d+)/m)?.[1]
    await vi.waitFor(async () => expect(await underWay()).toBe('3'))
    const refused = await list(growth.readKey)
    expect(refused).toMatchObject({ status: 503, json: { code: 'SV-9002' } })
    expect(refused.headers['retry-after']).toBe('2')
    waiting.push(list(scale.readKey))
    await vi.waitFor(async () => expect(await underWay()).toBe('4'))
    expect((await list(scale.readKey)).status).toBe(503)
    lock.resolve()
    await locking
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const text = await at.registry.metrics()
    expect(text).toContain('http_requests_overloaded_total{tier="growth"} 1')
    expect(text).toContain('http_requests_overloaded_total{tier="scale"} 1')
  } finally {
    await at.close()
  }
})
