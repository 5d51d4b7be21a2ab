import { expect, test } from 'vitest'
import { Layer } from './schedule.ts'
import { positionOn, dayNumberOf, turnNotes } from './turn-shares.ts'

const ids = Array.from({ length: 20 }, (_, index) => `00000000-0000-4000-8000-0000000000${10 + index}`)
const nowMs = Date.parse('2026-11-30T12:00:00Z')
/** `5 days 12345`: five members, turns of one day, on call on these days. 2026-11-02 is a Monday. */
const layerOf = (text: string, more: object = {}) => {
  const [people = '', unit, days = '', length = '1'] = text.split(' ')
  return Layer.parse({
    userIds: ids.slice(0, Number(people)),
    handOver: '09:00',
    length: Number(length),
    unit,
    startDate: '2026-11-02',
    weekdays: [...days].map(Number),
    ...more,
  })
}

test.each([
  // two business days: Monday and Tuesday, Wednesday and Thursday, Friday and Monday
  ['3 on_call_days 12345 2', '00112..20011..2200'],
  ['3 days 12345 2', '00112..01122..1122'],
  ['2 weeks 12345', '00000..11111..0000'],
  ['7 days 12345', '01234..01234..0123'],
  ['3 on_call_days 67', '.....01.....20....'],
  ['2 on_call_days 1 2', '0......0......1...'],
  ['2 on_call_days 1234567', '010101010101010101'],
])('%s: turns by day from a Monday on are %s', (text, turns) => {
  const layer = layerOf(text)
  const first = dayNumberOf('2026-11-02')
  expect([...turns].map((_, day) => positionOn(layer, first + day) ?? '.').join('')).toBe(turns)
})

test('a turn does not begin before the first day, which may be in the middle of a week', () => {
  const layer = layerOf('3 on_call_days 12345 2', { startDate: '2026-11-05' })
  const first = dayNumberOf('2026-11-05')
  expect([-1, 0, 1, 2, 3, 4, 5, 6].map((day) => positionOn(layer, first + day))).toEqual([
    null,
    0,
    0,
    null,
    null,
    1,
    1,
    2,
  ])
})

const member = (index: number) => ids[index]
test.each([
  ['7 days 12345', [member(5), member(6)], 7],
  ['14 days 12345', [5, 6, 12, 13].map(member), 14],
  ['7 days 123456', [member(6)], 7],
  ['7 days 12345 2', [member(6)], 14],
  ['7 days 1', [1, 2, 3, 4, 5, 6].map(member), 7],
])('%s: some members never have a turn, and the cycle is told', (text, userIds, cycleDays) => {
  expect(turnNotes([layerOf(text)], nowMs)).toEqual([{ kind: 'never', layer: 0, userIds, cycleDays }])
})

test.each([
  '1 days 1',
  '2 days 12345',
  '6 days 12345',
  '7 days 1234567',
  '7 days 12345 7',
  '7 weeks 12345',
  '14 weeks 1',
  '7 on_call_days 12345',
  '5 on_call_days 12345',
  '20 on_call_days 135 3',
])('%s: everyone has the same turns', (text) => {
  expect(turnNotes([layerOf(text)], nowMs)).toEqual([])
})

test('turns of three days of seven members are unequal for ever with free weekends', () => {
  const [note] = turnNotes([layerOf('7 days 12345 3')], nowMs)
  expect(note).toMatchObject({ kind: 'unequal', cycleDays: 21 })
  expect(note?.kind === 'unequal' && note.hours.map(({ hours }) => hours / 24)).toEqual([3, 2, 2, 3, 1, 3, 1])
})

test('a later layer counts from its start on: what it covers is no turn', () => {
  const week = layerOf('1 weeks 1234567')
  const weekend = layerOf('1 weeks 67')
  const later = layerOf('1 weeks 1234567', { startDate: '2027-03-01' })
  const notes = (...layers: Layer[]) => turnNotes(layers, nowMs).map(({ kind, layer }) => `${kind} ${layer}`)
  expect(notes(layerOf('2 weeks 12345'), week)).toEqual(['covered 0'])
  expect(notes(layerOf('2 weeks 12345'), later)).toEqual([])
  expect(notes(layerOf('7 days 1234567'), weekend)).toEqual(['never 0'])
  expect(notes(layerOf('2 weeks 1234567'), weekend)).toEqual([])
  // a day shift above a night shift: each has its hours
  const [day, night] = [
    layerOf('2 weeks 1234567', { until: '21:00' }),
    layerOf('2 days 1234567', { handOver: '21:00', until: '09:00' }),
  ]
  expect(notes(night, day)).toEqual([])
  expect(notes(day, night)).toEqual([])
  expect(notes(layerOf('2 days 1234567', { until: '17:00' }), day)).toEqual(['covered 0'])
})

test('one who is named twice has two turns, and is on call with one of them', () => {
  const twice = layerOf('7 days 12345')
  const [note] = turnNotes([{ ...twice, userIds: [...ids.slice(0, 5), ...ids.slice(0, 2)] }], nowMs)
  expect(note?.kind).toBe('unequal')
})
