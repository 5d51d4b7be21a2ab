import { readText } from '../read-text.ts'

export type Doc = Record<string, unknown>
export type Request = Doc & { url: string }

export const pairs = (headers: Record<string, string>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }))
/** An entry with what HAR 1.2 requires. */
export const entry = (request: Request, more: Doc = {}, answer: Doc = {}): Doc => ({
  startedDateTime: '2026-11-30T10:00:00.000Z',
  time: 12.5,
  request: {
    method: 'GET',
    httpVersion: 'HTTP/1.1',
    headers: [],
    queryString: [],
    cookies: [],
    headersSize: -1,
    bodySize: 0,
    ...request,
  },
  response: {
    status: 200,
    headers: [],
    cookies: [],
    redirectURL: '',
    content: { size: 4, mimeType: 'application/json', text: '{}' },
    ...answer,
  },
  cache: {},
  timings: { send: 0, wait: 1, receive: 0 },
  ...more,
})
/** A file as this program writes it. */
export const recordingBy = (creator: string, ...entries: Doc[]): string =>
  JSON.stringify({ log: { version: '1.2', creator: { name: creator, version: '1' }, entries } })

/** What an import says of a recording. */
export const readRecording = (text: string) => {
  const answer = readText({ kind: 'har', text, taken: [] })
  if ('problems' in answer) return { problems: answer.problems, warnings: [], steps: [], secrets: [] }
  if (answer.draft.kind !== 'har') throw new Error('not a recording')
  const { steps, warnings } = answer.draft
  return { problems: steps.flatMap(({ problems }) => problems), warnings, steps, secrets: answer.secrets }
}
