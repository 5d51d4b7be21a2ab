import type { Headers } from '../request/outcome.ts'
import { refusalMarks } from './refusal-marks.ts'
import type { Evidence, RefusalMark } from './refusal-marks.ts'

const isWell = (status: number): boolean => status >= 200 && status <= 299

/** A challenge is a short page: what is longer than this has content besides. */
export const challengeCharactersMax = 65_536

/** The evidence in the headers alone: read for every answer, also one that looks well. */
export const headerEvidence = (status: number, headers: Headers): Evidence | null =>
  evidenceIn(refusalMarks.find((mark) => matchesMark(mark, status, headers, null)))

/** The evidence in headers and body (S-805). */
export const refusalEvidence = (status: number, headers: Headers, text: string): Evidence | null =>
  evidenceIn(refusalMarks.find((mark) => matchesMark(mark, status, headers, text)))

/** The marks of answers that look well, of which a part stands in the body. */
const pageMarks = refusalMarks.filter(
  ({ body, statuses }) => body !== undefined && statuses !== 'any' && statuses.some(isWell),
)

/** Whether the body of an answer that looks well may show that it is a refusal, by its headers. */
export const mayBeChallenge = (status: number, headers: Headers): boolean =>
  isWell(status) && pageMarks.some((mark) => counts(mark, status) && hasHeader(mark, headers))

/** @param text null where the body was not read: marks in it are not found then */
export const matchesMark = (
  mark: RefusalMark,
  status: number,
  headers: Headers,
  text: string | null,
): boolean => {
  if (!counts(mark, status) || !hasHeader(mark, headers)) return false
  if (mark.body === undefined) return true
  if (text === null || (isWell(status) && text.length > challengeCharactersMax)) return false
  return mark.body.every((part) => text.includes(part))
}

const counts = ({ statuses }: RefusalMark, status: number): boolean =>
  statuses === 'any' || statuses.includes(status)

const hasHeader = ({ headers: wanted }: RefusalMark, headers: Headers): boolean =>
  wanted === undefined || wanted.some(({ name, value }) => begins(headers[name], value))

const begins = (value: string | string[] | undefined, expected: string): boolean =>
  (typeof value === 'string' ? [value] : (value ?? [])).some((each) =>
    each.trim().toLowerCase().startsWith(expected),
  )

const evidenceIn = (mark: RefusalMark | undefined): Evidence | null =>
  mark === undefined ? null : { cause: mark.cause, reason: mark.reason }
