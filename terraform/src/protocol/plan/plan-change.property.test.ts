import fc from 'fast-check'
import { forAll, forAllAsync } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { isEqual, isWhollyKnown, unknown, type ObjectValue, type Value } from '../value.ts'
import { planChange, type Plan } from './plan-change.ts'
import { settleState } from './settle-state.ts'
import { configArbitrary, knownObject, planOf, propose, thingSchema } from './testing.ts'
import { validateConfig } from './validate-config.ts'

const configs = configArbitrary(thingSchema)
/** What a configuration became, and a configuration that is changed to, often in little or nothing. */
const changes = fc
  .tuple(configs, configs, fc.subarray(Object.keys(thingSchema.attributes)))
  .map(([first, other, names]) => {
    const was = knownObject(thingSchema, first)
    const prior = knownObject(thingSchema, planOf(was, null).planned)
    const config: ObjectValue = {
      ...was,
      ...Object.fromEntries(names.map((name) => [name, other[name] ?? null])),
    }
    return { config, prior, was }
  })

const withChanges = (look: (change: { config: ObjectValue; prior: ObjectValue }) => void) =>
  forAll([changes], { numRuns: 500 }, look)
const attributes = Object.entries(thingSchema.attributes)
const isSame = (one: ObjectValue, other: ObjectValue): boolean =>
  attributes.every(([name, { type }]) => isEqual(type, one[name] ?? null, other[name] ?? null))
const isIn = (value: Value, plan: Plan) => Object.values(plan.planned).includes(value)

describe('any change', () => {
  test('plans nothing after apply', () => {
    withChanges(({ config, prior }) => {
      const settled = knownObject(thingSchema, config)
      const state = knownObject(thingSchema, planOf(settled, prior).planned)
      const { planned, replaces, isChange } = planOf(settled, state)
      expect([isSame(planned, state), replaces, isChange]).toEqual([true, [], false])
    })
  })

  test('gives the same plan from its own plan', () => {
    withChanges(({ config, prior }) => {
      const first = planOf(config, prior)
      const resource = { schema: thingSchema }
      const again = { config, prior, proposed: first.planned, private: new Uint8Array([7]) }
      expect(planChange(resource, again)).toEqual(first)
    })
  })

  test('plans a known value as it is configured, as it was, or by its default', () => {
    withChanges(({ config, prior }) => {
      const { planned } = planOf(config, prior)
      for (const [name, { type, default: byDefault = null }] of attributes) {
        const value = planned[name] ?? null
        const allowed: Value[] = [config[name] ?? null, prior[name] ?? null, byDefault, unknown]
        expect(allowed.some((each) => isEqual(type, each, value))).toBe(true)
        // what is configured is never planned as something else
        if ((config[name] ?? null) !== null) expect(value).toEqual(config[name])
      }
    })
  })

  test('without a difference leaves nothing unknown and replaces nothing', () => {
    withChanges(({ config, prior }) => {
      const plan = planOf(config, prior)
      if (plan.isChange) return
      expect(isIn(unknown, plan)).toBe(false)
      expect([isSame(plan.planned, prior), plan.replaces]).toEqual([true, []])
    })
  })

  test('plans nothing otherwise once more is known', () => {
    withChanges(({ config, prior }) => {
      const early = planOf(config, prior).planned
      const late = planOf(knownObject(thingSchema, config), prior).planned
      for (const [name, { type }] of attributes) {
        const value = early[name] ?? null
        const isPromise = isWhollyKnown(value)
        if (isPromise) expect(isEqual(type, value, late[name] ?? null)).toBe(true)
      }
    })
  })

  test('carried out as planned has no problems', () => {
    withChanges(({ config, prior }) => {
      const { planned } = planOf(knownObject(thingSchema, config), prior)
      const state = knownObject(thingSchema, planned)
      const expected = { promised: planned, prior, isFailed: false }
      expect(settleState(thingSchema, state, expected)).toEqual({ state, problems: [] })
    })
  })
})

test('a configuration with anything unknown is validated and planned', async () => {
  await forAllAsync([configs], { numRuns: 300 }, async (config) => {
    expect(await validateConfig(thingSchema, config)).toEqual([])
    expect(planOf(config, null).isChange).toBe(true)
    expect(propose(thingSchema, null, config)).toEqual(config)
  })
})
