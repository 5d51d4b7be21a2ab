import { test } from 'vitest'
import { allRotas, expectCalendarYear, expectFairYear } from './rotas.ts'

/** Each member count and each pattern once; `every-rota` has all of them. */
const some = allRotas.filter((_, index) => index % 61 === 0)

test.each(some)(
  'over a year a model of another hand agrees, and shares are fair or it is told: $name',
  (rota) => {
    expectFairYear(rota)
  },
)

test.each(some.slice(0, 5))(
  'calendars read by another program equal the rota hour by hour: $name',
  (rota) => {
    expectCalendarYear(rota)
  },
)
