import type { CheckDraft, DraftRefusal } from '@probe-mesh/contracts/check/check-plan'
import { expect, test } from 'vitest'
import { unanswered } from './failure.ts'
import { createJudge } from './judge.ts'
import { contextOf } from './testing.ts'

const { context } = contextOf()
const writes = { needed: 0, left: 30, perMinute: 30, resetSeconds: 0 }
const draft = (name: string): CheckDraft => ({ action: 'create', check: { name } })
const refusal = (index: number): DraftRefusal => ({
  index,
  name: null,
  code: 'SV-2001',
  message: '',
  errors: [],
})

test('drafts that come while a request is under way share the next one, each with its own refusals', async () => {
  const sent: number[] = []
  const judge = createJudge(async (drafts) => {
    sent.push(drafts.length)
    await Promise.resolve()
    return { ok: true, value: { refusals: [refusal(drafts.length - 1)], writes } }
  })
  const judged = await Promise.all(['a', 'b', 'c'].map((name) => judge(draft(name), context)))
  expect(sent).toEqual([1, 2])
  expect(judged.map((each) => each.ok && each.value.length)).toEqual([1, 0, 1])
})

test('ten that come just after an answer share a request, and a single one does not wait for others', async () => {
  const sent: number[] = []
  const waits: number[] = []
  const judge = createJudge(
    async (drafts) => {
      sent.push(drafts.length)
      return { ok: true, value: { refusals: [], writes } }
    },
    (ms, signal) => {
      waits.push(ms)
      return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }))
    },
  )
  await judge(draft('first'), context)
  expect(sent).toEqual([1])
  await Promise.all(Array.from({ length: 10 }, (_, n) => judge(draft(`${n}`), context)))
  expect(sent).toEqual([1, 10])
  expect(waits).toEqual([10, 10])
})

test('a failure reaches the drafts of its request, and the next are sent', async () => {
  let calls = 0
  const judge = createJudge(async () => {
    calls += 1
    if (calls === 1) throw new Error('broken')
    return calls === 2 ? unanswered('away') : { ok: true, value: { refusals: [], writes } }
  })
  const [first, second] = await Promise.allSettled([judge(draft('a'), context), judge(draft('b'), context)])
  expect(first).toMatchObject({ status: 'rejected' })
  expect(second).toMatchObject({ status: 'fulfilled', value: { ok: false } })
  expect(await judge(draft('c'), context)).toEqual({ ok: true, value: [] })
})
