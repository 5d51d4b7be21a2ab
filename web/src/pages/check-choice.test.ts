import type { Check } from '@probe-mesh/contracts/check'
import { expect, test } from 'vitest'
import { flat } from '../testing/flat.ts'
import { checkChoices, checkSearch, choicesMax } from './check-choice.ts'

const check = (id: string, name: string, url: string | null = null): Check =>
  ({ id, name, url, target: null, type: 'heartbeat' }) as Check
const many = Array.from({ length: choicesMax + 1 }, (_, at) =>
  check(String(at), `check ${String(at).padStart(3, '0')}`),
)
const at = { path: '/new', query: { page: '"' } }

test('checks are found by name or address, in the order of names', () => {
  const checks = [check('1', 'Web', 'https://b.example/'), check('2', 'api'), check('3', 'Exam')]
  const found = (text: string) =>
    checkChoices(checks, { text, chosen: undefined }).choices.map(({ value }) => value)
  expect(found('')).toEqual(['3', '1', '2'])
  expect(found('EXAM')).toEqual(['3', '1'])
  expect(found('none')).toEqual([])
})

test('what was chosen stays among the choices, whatever is sought', () => {
  const { choices, found } = checkChoices(many, { text: 'check 000', chosen: '7' })
  expect(choices.map(({ value }) => value)).toEqual(['7', '0'])
  expect(found).toBe(1)
})

test('a list that was cut says so and can be searched; one that was not needs no search', () => {
  const cut = checkChoices(many, { text: '', chosen: undefined })
  expect(cut.choices).toHaveLength(choicesMax)
  const text = flat(checkSearch(cut, { ...at, text: '' }))
  expect(text).toContain(`${choicesMax} of ${choicesMax + 1} checks can be chosen`)
  expect(text).toContain('<input type="hidden" name="page" value="&quot;">')
  const whole = checkChoices(many.slice(1), { text: '', chosen: undefined })
  expect(checkSearch(whole, { ...at, text: '' })).toBeNull()
})
