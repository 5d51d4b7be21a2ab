import type { Headers } from '../request/outcome.ts'
import { refusalMarks, type Evidence, type RefusalMark } from './refusal-marks.ts'

const isSuccess = (status: number): boolean => status >= 200 && status <= 299

/** A challenge is a short page: a longer page has other content as well. */
export const challengeCharactersMax = 65_536

/** The evidence in the headers alone, for every answer, including 2xx. */
export const headerEvidence = (status: number, headers: Headers): Evidence | null =>
  evidenceIn(refusalMarks.find((mark) => matchesMark(mark, status, headers, null)))

/** The evidence in headers and body (S-805). */
export const refusalEvidence = (status: number, headers: Headers, text: string): Evidence | null =>
  evidenceIn(refusalMarks.find((mark) => matchesMark(mark, status, headers, text)))

/** Marks of 2xx answers that need the body. */
const pageMarks = refusalMarks.filter(
  ({ body, statuses }) => body !== undefined && statuses !== 'any' && statuses.some(isSuccess),
)

/** Whether, by its headers, the body of a 2xx answer may show a refusal. */
export const mayBeChallenge = (status: number, headers: Headers): boolean =>
  isSuccess(status) && pageMarks.some((mark) => appliesTo(mark, status) && hasHeader(mark, headers))

/**
 * @param text null: the body was not read, and its marks do not match
 */
export const matchesMark = (
  mark: RefusalMark,
  status: number,
  headers: Headers,
  text: string | null,
): boolean => {
  if (!appliesTo(mark, status) || !hasHeader(mark, headers)) return false
  if (mark.body === undefined) return true
  if (text === null || (isSuccess(status) && text.length > challengeCharactersMax)) return false
  return mark.body.every((part) => text.includes(part))
}

const appliesTo = ({ statuses }: RefusalMark, status: number): boolean =>
  statuses === 'any' || statuses.includes(status)

const hasHeader = ({ headers: wanted }: RefusalMark, headers: Headers): boolean =>
  wanted === undefined || wanted.some(({ name, value }) => begins(headers[name], value))

const begins = (value: string | string[] | undefined, expected: string): boolean =>
  (typeof value === 'string' ? [value] : (value ?? [])).some((each) =>
    each.trim().toLowerCase().startsWith(expected),
  )

const evidenceIn = (mark: RefusalMark | undefined): Evidence | null =>
  mark === undefined ? null : { cause: mark.cause, reason: mark.reason }
