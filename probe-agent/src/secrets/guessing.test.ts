import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import { noStepAssertions } from '@probe-mesh/contracts/check/step-assertions'
import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { expect, test } from 'vitest'
import { contextOf, setUp } from '../run/testing/run.ts'
import { journeyOf, opener, requestOf, startTarget } from './testing/targets.ts'

/**
 * A member who may use a secret, and does not know it, lets a check send it to its host and asks a host of their own
 * as well. That host answers guesses, and the member watches which of them are hidden.
 */

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'
const secret = 'tok_9f4q7x2c81ab'
const known = 'tok_'
const trials = 200
const options = { headers: [{ name: 'X-Api-Key', value: '{{ secret.api_key }}' }] }
const secrets = { api_key: { value: secret, hosts: ['127.0.0.1'] } }
const step = {
  name: 'one',
  method: 'GET',
  body: null,
  contentType: null,
  assertions: noStepAssertions,
} as const

/** Where an answer has a guess, and the number of characters to which a reading cuts it. */
const places = [
  ['header', 200],
  ['header', 199],
  ['name', 100],
  ['body', 1_000],
  ['header', 0],
] as const

type Guess = { text: string; place: (typeof places)[number] }

/** The characters that two hundred trials find, and how many answers were shown otherwise than they were sent. */
const attack = async (assignmentOf: (bound: string, own: string) => Assignment, host = '127.0.0.2') => {
  let guesses: Guess[] = []
  const answered = ({ text, place: [, length] }: Guess): string => text.padStart(length, 'y')
  const own = await startTarget(
    (_, response) => {
      const [first] = guesses
      response.writeHead(
        500,
        guesses.flatMap((each, at) => {
          if (each.place[0] === 'header') return [`x-${at}`, answered(each)]
          return each.place[0] === 'name' ? [answered(each), 'y'] : []
        }),
      )
      // cut by the reading: what follows the guess is not shown
      response.end(first?.place[0] === 'body' ? `${answered(first)}${'z'.repeat(20)}` : '')
    },
    { host },
  )
  const bound = await startTarget((_, response) => response.writeHead(302, { location: own.at() }).end())
  const { runAny } = setUp({ secrets: opener })
  let found = known
  let changed = 0
  for (let trial = 0; trial < trials && found.length < secret.length; trial++) {
    const place = places[trial % places.length] ?? places[0]
    const from = Math.floor(trial / places.length) % 2 === 0 ? 0 : 18
    guesses = alphabet
      .slice(from, from + 18)
      .split('')
      .map((each) => ({ text: `${found}${each}`, place }))
    const { details } = await runAny(assignmentOf(bound.at(), own.at()), contextOf({ kind: 'manual' }))
    const exchange = details && 'exchange' in details ? details.exchange : undefined
    if (exchange === undefined) throw new Error('the trial shows no answer')
    const shown = [
      ...exchange.responseHeaders.flatMap(({ header, content }) => [header, content]),
      exchange.responseBody ?? '',
    ]
    const hidden = guesses.filter((each) => !shown.some((one) => one.startsWith(answered(each))))
    const isSeen = place[0] === 'body' ? guesses.slice(0, 1) : guesses
    const told = hidden.filter((each) => isSeen.includes(each))
    changed += told.length
    if (told.length === 1) found = told[0]?.text ?? found
  }
  return { found, changed }
}

test('two hundred trials of a journey that also asks a host of the guesser find no character of a secret', async () => {
  const found = await attack((bound, own) =>
    journeyOf(
      [
        {
          ...step,
          url: bound,
          options: { ...options, redirects: 'never' },
          assertions: { ...noStepAssertions, statusMin: 302, statusMax: 302 },
        },
        { ...step, url: own },
      ],
      secrets,
    ),
  )
  expect(found).toEqual({ found: known, changed: 0 })
}, 60_000)

test('nor do two hundred of a check whose target redirects to the guesser', async () => {
  const found = await attack((bound) => requestOf(bound, options, secrets, { assertions: noAssertions }))
  expect(found).toEqual({ found: known, changed: 0 })
}, 60_000)

test('nor do two hundred answers of a host that gets the secret and repeats what it is asked', async () => {
  const found = await attack(
    (bound) => requestOf(bound, options, secrets, { assertions: noAssertions }),
    '127.0.0.1',
  )
  expect(found).toEqual({ found: known, changed: 0 })
}, 60_000)
