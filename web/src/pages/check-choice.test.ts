import { checkChoicesMax, type CheckName } from '@probe-mesh/contracts/check/check-list'
import { expect, test } from 'vitest'
import { flat } from '../testing/flat.ts'
import { checkChoices, checkSearch } from './check-choice.ts'
import { idsIn } from './check-names.ts'

const check = (id: string): CheckName => ({
  id,
  name: `check ${id}`,
  url: null,
  target: null,
  type: 'heartbeat',
  regions: [],
})
const many = Array.from({ length: checkChoicesMax }, (_, at) => check(String(at)))
const at = { path: '/new', query: { page: '"' } }

test('chosen checks stay among the choices, whatever the search is', () => {
  const found = { checks: [check('0')], left: 0, count: 1, all: 9 }
  const { choices, found: count } = checkChoices({ named: [check('7')], found })
  expect(choices).toEqual([
    { value: '7', label: 'check 7 (heartbeat)' },
    { value: '0', label: 'check 0 (heartbeat)' },
  ])
  expect(count).toBe(1)
})

test('a truncated list says so and can be searched; a complete list has no search', () => {
  const count = checkChoicesMax + 1
  const found = { checks: many, left: 1, count, all: count }
  const text = flat(checkSearch(checkChoices({ named: [], found }), { ...at, text: '' }))
  expect(text).toContain(`${checkChoicesMax} of ${count} checks can be chosen`)
  expect(text).toContain('<input type="hidden" name="page" value="&quot;">')
  const whole = { ...found, left: 0, count: checkChoicesMax, all: checkChoicesMax }
  expect(checkSearch(checkChoices({ named: [], found: whole }), { ...at, text: '' })).toBeNull()
})

test('ids from an address or a form are requested once each', () => {
  const id = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'
  expect(idsIn([id, 'none', undefined, '', id.toUpperCase(), `${id},`])).toEqual([id])
})
