import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { roundMsOf, weighMsOf } from '../status/freshness.ts'
import { defaultRule } from './alert-rule.ts'
import { holdsOfParents } from './parent-hold.ts'
import { t0, watchedCheck } from './testing.ts'
import { observeFlip, observeTime, type Alert, type Notice } from './when-to-alert.ts'

const secondMs = 1_000
const length = 900
const parentId = '01970000-0000-7000-8000-00000000000a'
const graceSeconds = Math.ceil((roundMsOf(60) + weighMsOf(60)) / secondMs)

/** Whether something fails in each second; each number is how long it stays as it is. */
const failing = fc
  .array(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 20, max: 400 })), {
    minLength: 2,
    maxLength: 12,
  })
  .map((spans) => {
    const all = spans.flatMap((span, index) => Array.from({ length: span }, () => index % 2 === 1))
    return Array.from({ length }, (_, second) => all[second] ?? false)
  })
const world = fc.record({
  parent: failing,
  child: failing,
  afterSeconds: fc.constantFrom(0, 30, 120),
  /** The child is measured in each second that this divides; never, so that nothing shows that it fails still. */
  measuredEvery: fc.constantFrom(7, 60, 100_000),
})
type World = { parent: boolean[]; child: boolean[]; afterSeconds: number; measuredEvery: number }

/** Plays the world second by second as the alerter does. @returns the messages about the child */
const play = ({ parent, child, afterSeconds, measuredEvery }: World): string[] => {
  const rule = { ...defaultRule('01970000-0000-7000-8000-000000000002', t0), afterSeconds }
  const [alerts, notices] = [
    { parent: null as Alert | null, child: null as Alert | null },
    [] as [number, Notice][],
  ]
  let [parentSinceMs, measuredMs] = [t0, t0]
  for (let second = 1; second < length; second++) {
    const nowMs = t0 + second * secondMs
    const isDown = { parent: parent[second] ?? false, child: child[second] ?? false }
    if (second % measuredEvery === 0) measuredMs = nowMs
    const watched = watchedCheck({ fra: isDown.child ? 'down' : 'up' }, measuredMs + 1_000)
    const above = watchedCheck({ fra: isDown.parent ? 'down' : 'up' }, nowMs, { id: parentId })
    const flipOf = (name: 'parent' | 'child') =>
      isDown[name] === ({ parent, child }[name][second - 1] ?? false)
        ? null
        : {
            id: `${name} ${second}`,
            to: isDown[name] ? ('down' as const) : ('operational' as const),
            reason: null,
            unconfirmed: false,
            atMs: nowMs,
          }
    const flips = { parent: flipOf('parent'), child: flipOf('child') }
    if (flips.parent !== null) {
      parentSinceMs = nowMs
      alerts.parent = observeFlip(alerts.parent, rule, flips.parent, []).alert
    }
    if (alerts.parent !== null) alerts.parent = observeTime(alerts.parent, [], nowMs).alert
    const check = {
      ...above,
      state: {
        ...above.state,
        status: isDown.parent ? ('down' as const) : ('operational' as const),
        statusSinceMs: parentSinceMs,
      },
    }
    const parents = [{ check, alert: alerts.parent, hasNewFlips: false, inMaintenance: false }]
    const step = (
      act: (
        alert: Alert | null,
        holds: ReturnType<typeof holdsOfParents>,
      ) => { alert: Alert | null; notices: Notice[] },
    ) => {
      const alert = alerts.child
      const made = act(
        alert,
        alert === null ? [] : holdsOfParents({ check: watched, rule, alert }, parents, nowMs),
      )
      alerts.child = JSON.parse(JSON.stringify(made.alert))
      notices.push(...made.notices.map((notice): [number, Notice] => [second, notice]))
    }
    const flip = flips.child
    if (flip !== null) step((alert, holds) => observeFlip(alert, rule, flip, holds))
    step((alert, holds) => (alert === null ? { alert, notices: [] } : observeTime(alert, holds, nowMs)))
  }
  return notices
    .filter(([, { event }]) => event !== 'reminder')
    .map(([second, { event }]) => `${second} ${event}`)
}

/** The same from the definition: an outage is told in its first second that is due and that nothing holds, the last included. */
const expected = ({ parent, child, afterSeconds, measuredEvery }: World): string[] => {
  const messages: string[] = []
  for (let start = 1; start < length; start++) {
    if (child[start] !== true || child[start - 1] === true) continue
    const found = child.indexOf(false, start)
    const end = found === -1 ? length : found
    let heldUntil: number | null = null
    for (let second = start + afterSeconds; second <= end && second < length; second++) {
      if (parent[second] === true) {
        heldUntil = Infinity
        continue
      }
      if (heldUntil === Infinity) heldUntil = second + graceSeconds
      const over = heldUntil === null ? 0 : heldUntil - graceSeconds
      const seenFailing =
        heldUntil !== null && second < end && Math.floor(second / measuredEvery) * measuredEvery > over
      if (heldUntil !== null && second < heldUntil && !seenFailing) continue
      messages.push(`${second} alert`, ...(end < length ? [`${end} recovery`] : []))
      break
    }
  }
  return messages
}

test('a child is told exactly when a model, second by second, says so', () => {
  forAll([world], { numRuns: 300 }, (drawn) => {
    expect(play(drawn)).toEqual(expected(drawn))
  })
})
