import { StepInput } from '@probe-mesh/contracts/check/step'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import type { Field } from '../../html/components/field.ts'
import {
  applyStepAct,
  parseStepAct,
  stepFields,
  stepInputs,
  stepsIn,
  stepTexts,
  typedSteps,
  type StepTexts,
} from './step-texts.ts'
import { withSteps } from './with-steps.ts'

/** Text as in a parsed form: line breaks are LF. */
const text = fc.string({ maxLength: 20, unit: 'grapheme' }).filter((each) => !/[\r\n]/.test(each))
const number = fc.oneof(fc.integer({ min: -1, max: 1e6 }).map(String), fc.constant('2xx'))

const meansEmpty = (field: Field, each: Record<string, string | undefined>): boolean =>
  field.kind === 'text' &&
  field.emptyWith !== undefined &&
  field.emptyWith.values.includes(each[field.emptyWith.name] ?? '')

const header = fc.constantFrom('accept: application/json', 'x-a: b\nx-c: d: e', 'no-colon: ')

/** Fields of another kind of credentials are left out. */
const isOtherKind = (name: string, each: Record<string, string | undefined>): boolean => {
  const [, own] = /^options\.auth\.(username|password|token)$/.exec(name) ?? []
  if (own === undefined) return false
  return each['options.auth.type'] !== (own === 'token' ? 'bearer' : 'basic')
}

/** Anything that can be typed into a step's fields; an empty field is absent. */
const step: fc.Arbitrary<StepTexts> = fc
  .record(
    Object.fromEntries(
      stepFields.map((field) => {
        const choices = field.kind === 'choice' ? field.choices.map(({ value }) => value) : ['']
        const typed = {
          text,
          lines: text,
          headers: header,
          number,
          flag: fc.constant('on'),
          choice: fc.constantFrom(...choices),
        }
        return [field.name, typed[field.kind]]
      }),
    ),
    { requiredKeys: [] },
  )
  .map((each) =>
    Object.fromEntries(
      stepFields.flatMap((field) => {
        const typed = each[field.name] ?? ''
        if (isOtherKind(field.name, each)) return []
        return typed === '' && field.isRequired !== true && !meansEmpty(field, each)
          ? []
          : [[field.name, typed]]
      }),
    ),
  )

const steps = fc.array(step, { maxLength: 12 })
const act = fc.oneof(
  fc.constant({ kind: 'add' as const }),
  fc.record({
    kind: fc.constantFrom('remove' as const, 'up' as const, 'down' as const),
    index: fc.nat({ max: 12 }),
  }),
)

test('parsing a form to steps and showing it again gives the same form', () => {
  forAll([steps], (typed) => {
    const shown = typedSteps(stepTexts(stepInputs(stepsIn(typedSteps(typed)))))
    expect(shown).toEqual(typedSteps(typed))
  })
})

test('an action keeps the text of every other step and never creates more than ten', () => {
  forAll([steps, act], (before, done) => {
    const after = applyStepAct(before, done)
    if (done.kind === 'add') {
      expect(after.slice(0, before.length)).toEqual(before)
      expect(after).toHaveLength(before.length < 10 ? before.length + 1 : before.length)
    } else if (done.kind === 'remove') {
      expect(after).toEqual([...before.slice(0, done.index), ...before.slice(done.index + 1)])
    } else {
      const other = done.index + (done.kind === 'up' ? -1 : 1)
      const isPossible = before[done.index] !== undefined && before[other] !== undefined
      const from = (index: number): number =>
        isPossible && index === done.index ? other : isPossible && index === other ? done.index : index
      expect(after).toEqual(before.map((_, index) => before[from(index)]))
    }
  })
})

test('moving a step up and down again changes nothing', () => {
  forAll([steps, fc.integer({ min: 1, max: 11 })], (before, index) => {
    fc.pre(index < before.length)
    const moved = applyStepAct(before, { kind: 'up', index })
    expect(applyStepAct(moved, { kind: 'down', index: index - 1 })).toEqual(before)
  })
})

test('steps are numbered without gaps, and other fields are kept', () => {
  const typed = {
    name: 'a',
    'steps[7].name': 'second',
    'steps[2].name': 'first',
    'steps[x].name': '',
  }
  const all = withSteps({ name: 'a', 'steps[9].url': 'gone' }, stepsIn(typed))
  expect(all).toEqual({ name: 'a', 'steps[0].name': 'first', 'steps[1].name': 'second' })
})

test('the API accepts a complete step', () => {
  const typed = {
    name: 'log in',
    method: 'POST',
    url: 'https://example.org/',
    body: 'a\r\nb',
    contentType: 'text/plain',
    'assertions.statusMin': ' 200 ',
    'assertions.bodyOp': 'contains',
    'assertions.bodyValue': 'ok',
    'assertions.bodyCaseSensitive': 'on',
  }
  const [input] = stepInputs([typed])
  expect(input).toEqual({
    name: 'log in',
    method: 'POST',
    url: 'https://example.org/',
    body: 'a\nb',
    contentType: 'text/plain',
    assertions: { statusMin: 200, bodyOp: 'contains', bodyValue: 'ok', bodyCaseSensitive: true },
  })
  expect(StepInput.safeParse(input).success).toBe(true)
})

test.each([
  ['equals', { jsonPath: 'a', jsonOp: 'equals', jsonValue: '' }],
  ['contains', { jsonPath: 'a', jsonOp: 'contains', jsonValue: '' }],
  ['exists', { jsonPath: 'a', jsonOp: 'exists' }],
  ['', { jsonPath: 'a' }],
])('an empty text that a value %s is the empty text, or none', (op, assertions) => {
  const typed = {
    name: 'a',
    method: 'GET',
    url: 'https://example.org/',
    'assertions.jsonPath': 'a',
    'assertions.jsonOp': op,
    'assertions.jsonValue': '',
  }
  const [input] = stepInputs([typed])
  expect(input).toMatchObject({ assertions })
  expect(input?.['assertions']).not.toHaveProperty('jsonOp', '')
  expect(StepInput.safeParse(input).success).toBe(op !== '')
})

test.each([
  ['add', { kind: 'add' }],
  ['up-3', { kind: 'up', index: 3 }],
  ['remove-0', { kind: 'remove', index: 0 }],
  ['save', null],
  ['up-', null],
  ['up-x', null],
  ['up-99999', null],
  [null, null],
])('the button %s is the act %j', (name, expected) => {
  expect(parseStepAct(name)).toEqual(expected)
})
