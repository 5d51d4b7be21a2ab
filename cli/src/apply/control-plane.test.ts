import type { Check } from '@probe-mesh/contracts/check/check'
import { useTestApp } from '@probe-mesh/control-plane/src/app/testing/test-app'
import fc from 'fast-check'
import { forAllAsync } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { planChecks, type FileCheck } from '../plan/plan-checks.ts'
import type { Plan } from '../plan/plan.ts'
import { answerWrite, fileArbitrary, fileOf, live } from '../plan/testing.ts'
import { writesOf } from '../plan/writes.ts'
import { applyPlan } from './apply-plan.ts'
import { createRepeatableClient } from './repeatable-client.ts'
import { lostConnection } from './testing.ts'

const at = useTestApp()

/** `fetch` into the app. @param isLost whether the answer to the call of that number goes missing */
const fetchOf =
  (isLost: (call: number) => boolean): typeof fetch =>
  async (input, init) => {
    const answer = await at.app.inject({
      method: (init?.method ?? 'GET') as 'GET',
      url: new URL(String(input)).pathname,
      headers: Object.fromEntries(new Headers(init?.headers)),
      ...(typeof init?.body === 'string' ? { payload: init.body } : {}),
    })
    calls += 1
    if (isLost(calls)) throw lostConnection()
    const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)])
    return new Response(answer.body, { status: answer.statusCode, headers: headers as [] })
  }
const { signal } = new AbortController()
let calls = 0
let runs = 0

/** One account, whose clock moves where a run pauses. */
const startAccount = async (isLost: (call: number) => boolean = () => false) => {
  const { writeKey: apiKey } = await at.account('growth')
  const apiUrl = 'http://app/v1'
  const clientOf = () =>
    createRepeatableClient({ apiUrl, apiKey, runId: `run-${++runs}`, fetch: fetchOf(isLost) })
  const pauses: number[] = []
  const pause = async (ms: number) => {
    pauses.push(ms)
    at.pass(ms)
  }
  const list = async (): Promise<Check[]> => {
    at.pass(61_000)
    const listed = await clientOf().call('listChecks', {})
    if (!listed.ok) throw new Error(listed.problem.message)
    return listed.value.checks
  }
  const plan = async (file: FileCheck[], prune = false): Promise<Plan> => {
    const planned = planChecks({
      file,
      account: await list(),
      liveRegions: live,
      prune,
    })
    if (!planned.ok) throw new Error('this can be planned')
    return planned.plan
  }
  const apply = (planned: Plan) =>
    applyPlan({ client: clientOf(), budget: null, signal, now: at.now, pause, report: () => {} }, planned)
  return { list, plan, apply, pauses }
}

/** The account after a plan as the model of the API has it. */
const inModel = (plan: Plan): Check[] =>
  plan.steps.flatMap(writesOf).reduce<Check[]>(
    (checks, write) => {
      const answer = answerWrite(checks, write)
      return answer.ok ? answer.account : checks
    },
    [...plan.account],
  )

/** What a file can say of checks; only the API knows ids and times. */
const declared = (checks: readonly Check[]) =>
  checks
    .map((check) => ({ ...check, id: '', status: '', createdAt: '', updatedAt: '' }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))

test('applying any file after any other matches the model and leaves nothing to change', async () => {
  await forAllAsync(
    [fileArbitrary, fileArbitrary, fc.boolean()],
    { numRuns: 20 },
    async (first, file, prune) => {
      const account = await startAccount()
      expect((await account.apply(await account.plan(first))).stop).toBeNull()
      expect((await account.plan(first)).steps).toEqual([])
      const plan = await account.plan(file, prune)
      expect((await account.apply(plan)).stop).toBeNull()
      expect(declared(await account.list())).toEqual(declared(inModel(plan)))
      expect((await account.plan(file, prune)).steps).toEqual([])
      const names = (await account.list()).map(({ name }) => name)
      const kept = plan.absent.map(({ name }) => name)
      expect(names.toSorted()).toEqual([...file.map(({ name }) => name), ...kept].toSorted())
    },
  )
})

const many = Array.from({ length: 40 }, (_, n) => fileOf(`check-${n}`))

test('40 creates at 30 writes a minute wait, and none is refused', async () => {
  const account = await startAccount()
  const { stop, steps } = await account.apply(await account.plan(many))
  expect([stop, steps.length]).toEqual([null, 40])
  expect(account.pauses.length).toBeGreaterThan(0)
  expect(await account.list()).toHaveLength(40)
})

test('applies every step once, whichever answer is lost', async () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => fileOf(name)) as [
    FileCheck,
    FileCheck,
    FileCheck,
    FileCheck,
  ]
  const changed = [{ ...b, url: 'https://new.example.com/' }, { ...c, regions: ['fra'] }, d]
  for (let lost = 1; ; lost++) {
    let from = Number.POSITIVE_INFINITY
    const account = await startAccount((call) => call === from + lost)
    await account.apply(await account.plan([a, b, c]))
    const plan = await account.plan(changed, true)
    from = calls
    const { stop, steps } = await account.apply(plan)
    expect([stop, steps.length]).toEqual([null, 4])
    expect(account.pauses).toEqual([1_000])
    from = Number.POSITIVE_INFINITY
    expect((await account.plan(changed, true)).steps).toEqual([])
    expect((await account.list()).map(({ name }) => name).toSorted()).toEqual(['b', 'c', 'd'])
    // the listing is a call as well
    if (lost > plan.steps.flatMap(writesOf).length) break
  }
})
