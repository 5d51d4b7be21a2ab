import { assertionNames } from '@probe-mesh/contracts/check/assertions'
import type { Check } from '@probe-mesh/contracts/check/check'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { accountChanges } from './account-changes.ts'
import { planChecks, type FileCheck } from './plan-checks.ts'
import { applyOrder, nameOf, summarize, type Plan } from './plan.ts'
import { accountArbitrary, answerWrite, fileArbitrary, live } from './testing.ts'
import { writesOf } from './writes.ts'

const runs = { numRuns: 1000 }

/** The account after every write of the plan. @throws where one is refused */
const carryOut = (plan: Plan): Check[] =>
  plan.steps.flatMap(writesOf).reduce<Check[]>(
    (account, write) => {
      const answer = answerWrite(account, write)
      if (!answer.ok) throw new Error(`${write.route} was refused: ${answer.code}`)
      return answer.account
    },
    [...plan.account],
  )

/** Plans of files and accounts; what cannot be planned is taken out of the file first. */
const withPlan = (display: (plan: Plan, file: FileCheck[], prune: boolean) => void): void =>
  forAll([fileArbitrary, accountArbitrary, fc.boolean()], runs, (declared, account, prune) => {
    const others = new Set(account.flatMap(({ type, name }) => (type === 'http' ? [] : [name])))
    const file = declared.filter(({ name }) => !others.has(name))
    const planned = planChecks({
      file,
      account,
      liveRegions: live,
      prune,
    })
    if (!planned.ok) throw new Error('these can be planned')
    display(planned.plan, file, prune)
  })

describe('any file on any account', () => {
  test('leaves nothing to change once applied', () => {
    withPlan((plan, file, prune) => {
      const again = planChecks({
        file,
        account: carryOut(plan),
        liveRegions: live,
        prune,
      })
      expect(again).toMatchObject({ ok: true, plan: { steps: [] } })
    })
  })

  test('changes only checks that a step names', () => {
    withPlan((plan) => {
      const touched = new Set(plan.steps.flatMap((step) => (step.kind === 'create' ? [] : step.check.id)))
      const untouched = plan.account.filter(({ id }) => !touched.has(id))
      expect(carryOut(plan)).toEqual(expect.arrayContaining(untouched))
      expect(untouched).toEqual(expect.arrayContaining(plan.account.filter(({ type }) => type !== 'http')))
    })
  })

  test('keeps the http checks of the file, and with prune no others', () => {
    withPlan((plan, file, prune) => {
      const names = carryOut(plan).flatMap(({ type, name }) => (type === 'http' ? [name] : []))
      const kept = plan.absent.map(({ name }) => name)
      expect(names.toSorted()).toEqual([...file.map(({ name }) => name), ...kept].toSorted())
      if (prune) expect(kept).toEqual([])
    })
  })

  test('keeps the id of an updated check, and an interval that the file does not manage', () => {
    withPlan((plan, file) => {
      const after = new Map(carryOut(plan).map((check) => [check.name, check]))
      for (const step of plan.steps) {
        if (step.kind === 'update') expect(after.get(nameOf(step))?.id).toBe(step.check.id)
        if (step.kind !== 'replace') continue
        const declared = file.find(({ name }) => name === nameOf(step))
        expect(after.get(nameOf(step))?.intervalSeconds).toBe(
          declared?.intervalSeconds ?? step.check.intervalSeconds,
        )
      }
    })
  })

  test('counts every check of the file once, and every deleted check once', () => {
    withPlan((plan, file, prune) => {
      const { create, update, replace, delete: deleted, unchanged } = summarize(plan)
      expect(create + update + replace + unchanged).toBe(file.length)
      expect(create + update + replace + deleted).toBe(plan.steps.length)
      const https = plan.account.filter(({ type }) => type === 'http').length
      expect(update + replace + unchanged + deleted + plan.absent.length).toBe(https)
      expect(prune ? plan.absent.length : deleted).toBe(0)
    })
  })

  test('is in the order of applying', () => {
    withPlan((plan) => {
      const ranks = plan.steps.map(({ kind }) => applyOrder.indexOf(kind))
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
    })
  })

  test('names every changed field with two different values', () => {
    withPlan((plan) => {
      for (const step of plan.steps) {
        if (!('changes' in step)) continue
        expect(step.changes.length).toBeGreaterThan(0)
        for (const change of step.changes) expect(change.old).not.toEqual(change.new)
      }
    })
  })
})

/** What an export says of a check. */
const declare = (check: Check): FileCheck => ({
  name: check.name,
  url: check.url ?? '',
  intervalSeconds: check.intervalSeconds,
  ...(check.allRegions ? {} : { regions: check.regions }),
  ...Object.fromEntries(
    assertionNames.filter((name) => check[name] !== null).map((name) => [name, check[name]]),
  ),
})

test('a file that matches the account changes nothing', () => {
  forAll([accountArbitrary, fc.boolean()], runs, (account, prune) => {
    const https = account.filter(({ type }) => type === 'http')
    const file = https.map(declare)
    const planned = planChecks({
      file,
      account,
      liveRegions: live,
      prune,
    })
    expect(planned).toMatchObject({ ok: true, plan: { steps: [], absent: [], unchanged: https } })
  })
})

test('a check of the account for changes detects what a plan changes, and nothing else', () => {
  withPlan((plan) => {
    const after = carryOut(plan)
    expect(accountChanges(plan.account, after).length > 0).toBe(plan.steps.length > 0)
    const later = after.map((check) => ({ ...check, status: 'down' as const, updatedAt: 'later' }))
    expect(accountChanges(after, later.toReversed())).toEqual([])
  })
})
