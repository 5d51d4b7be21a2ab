import type { Notes } from '../draft/notes.ts'
import type { MainRequest } from './main-requests.ts'
import { isSessionField, mayBePassed, plainValues, sentBy, type Origins } from './passed-values.ts'
import { contentOf } from './step-body.ts'

/** Headers about the state of what a request changes. */
const conditions = /^(?:if-match|if-unmodified-since)$/i

type Around = { requests: readonly MainRequest[]; origins: Origins; notes: Notes }

/**
 * Values that came out of an earlier answer: a journey would send those of the recording, which are over. An id that an
 * answer of a GET or HEAD gave is that of something that stays; it is noted.
 */
export const passedProblems = (
  { entry, index }: MainRequest,
  step: number,
  { requests, origins, notes }: Around,
): string[] => {
  const came = (name: string, from: number): string =>
    `Step ${step} sends ${name}, whose value came from the answer of ${placeOf(from, requests)}`
  const passed = sentBy(entry, contentOf(entry.request).body)
    .filter((sent) => mayBePassed(sent) || conditions.test(sent.name))
    .flatMap(({ name, value }) => {
      if (conditions.test(name))
        return [`Step ${step} sends ${name}, which is about the state of the recording; ${cannotPass}`]
      const from = origins.answerWith(value, index)
      if (from !== null) return [`${came(name, from)}; ${cannotPass}`]
      return isSessionField(name) && value !== ''
        ? [
            `Step ${step} sends ${name}, which servers make anew for each session, and no answer in the file has its value; ${cannotPass}`,
          ]
        : []
    })
  const ids = plainValues(entry).flatMap(({ name, value }) => {
    const from = origins.idFrom(value, index)
    if (from === null) return []
    if (!isSafe(requests, from)) return [`${came(name, from)}; ${cannotPass}`]
    notes.add(`${came(name, from)}: the journey sends ${value.slice(0, 40)} each time.`)
    return []
  })
  return [...new Set([...passed, ...ids])]
}

const cannotPass = 'journeys cannot pass values yet.'

/** Whether the request of an answer changes nothing. One that is no step is taken for one that does. */
const isSafe = (requests: readonly MainRequest[], index: number): boolean =>
  /^(?:GET|HEAD)$/i.test(requests.find(({ answers }) => answers.includes(index))?.entry.request.method ?? '')

/** `step 1`, or the request that is no step. */
const placeOf = (index: number, requests: readonly MainRequest[]): string => {
  const at = requests.findIndex(({ answers }) => answers.includes(index))
  return at < 0 ? 'a request that is no step' : `step ${at + 1}`
}
