import { describe, test } from 'vitest'
import { allRotas, expectCalendarYear, expectFairYear } from './rotas.ts'

const byPeople = [...Map.groupBy(allRotas, ({ layer }) => layer.userIds.length)]

describe.each(byPeople)('%d members', (_people, rotas) => {
  test('over a year every rota is what a model of another hand says, and fair or told', () => {
    for (const rota of rotas) expectFairYear(rota)
  })

  test('calendars of every ninth rota, read by another program, equal it hour by hour over a year', () => {
    for (const rota of rotas.filter((_, index) => index % 9 === 1)) expectCalendarYear(rota)
  })
})
