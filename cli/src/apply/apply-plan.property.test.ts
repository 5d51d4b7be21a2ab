import type { Check } from '@probe-mesh/contracts/check/check'
import fc from 'fast-check'
import { forAllAsync } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { planChecks } from '../plan/plan-checks.ts'
import { nameOf, type Plan } from '../plan/plan.ts'
import { accountArbitrary, answerWrite, fileArbitrary, live } from '../plan/testing.ts'
import { writesOf } from '../plan/writes.ts'
import { applyPlan } from './apply-plan.ts'
import { createContext } from './testing.ts'

const plannedArbitrary = fc
  .tuple(fileArbitrary, accountArbitrary, fc.boolean())
  .map(([declared, account, prune]) => {
    const others = new Set(account.flatMap(({ type, name }) => (type === 'http' ? [] : [name])))
    const file = declared.filter(({ name }) => !others.has(name))
    return {
      file,
      account,
      planned: planChecks({ file, account, liveRegions: live, prune }),
    }
  })

/** The account after that many calls of a plan. */
const after = ({ steps, account }: Plan, calls: number): readonly Check[] =>
  steps
    .flatMap(writesOf)
    .slice(0, calls)
    .reduce<readonly Check[]>((checks, write) => {
      const answer = answerWrite(checks, write)
      return answer.ok ? answer.account : checks
    }, account)

describe('any plan', () => {
  test('that is applied leaves nothing to change', async () => {
    await forAllAsync([plannedArbitrary], { numRuns: 200 }, async ({ file, account, planned }) => {
      if (!planned.ok) throw new Error('this can be planned')
      const context = createContext(account)
      const outcome = await applyPlan(context, planned.plan)
      expect(outcome.stop).toBeNull()
      expect(outcome.steps.every(({ result }) => result === 'done')).toBe(true)
      const again = {
        file,
        account: context.account(),
        liveRegions: live,
        prune: false,
      }
      expect(planChecks(again)).toMatchObject({ ok: true, plan: { steps: [] } })
    })
  })

  test('that is refused at any call has applied everything before it and nothing after it', async () => {
    await forAllAsync([plannedArbitrary, fc.nat(30)], { numRuns: 200 }, async ({ account, planned }, at) => {
      if (!planned.ok) throw new Error('this can be planned')
      const { plan } = planned
      const context = createContext(account, (call) =>
        call === at + 1 ? { kind: 'refuse', code: 'SV-4001' } : null,
      )
      const { steps, stop } = await applyPlan(context, plan)
      expect(context.account()).toEqual(after(plan, at))
      expect(steps.map(({ step }) => nameOf(step))).toEqual(plan.steps.map(nameOf))
      const results = steps.map(({ result }) => result).join(' ')
      expect(results).toMatch(stop === null ? /^(done ?)*$/ : /^(done )*refused( skipped)*$/)
      expect(stop === null).toBe(at >= plan.steps.flatMap(writesOf).length)
    })
  })
})
