import { importedMax, type HarDraft } from '@probe-mesh/contracts/check/check-import'
import type { StepInput } from '@probe-mesh/contracts/check/step'
import { StepMethod } from '@probe-mesh/contracts/reading/reading-details'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { PlainRequest } from '../draft/credentials.ts'
import { createSecretFinder, type SecretFinder } from '../draft/found-secrets.ts'
import { httpCheckOf } from '../draft/http-check-of.ts'
import { createNotes, type Notes } from '../draft/notes.ts'
import type { Read } from '../draft/read.ts'
import { isBrowserNoise } from '../draft/request-headers.ts'
import { targetNotes } from '../draft/written-target.ts'
import { createCookieCheck, hasNoCredentials } from './cookies.ts'
import { recordingOf, type Entry, type Recording } from './har-file.ts'
import { mainRequests, redirectsMax, type LeftOut, type MainRequest } from './main-requests.ts'
import { originsOf } from './passed-values.ts'
import { passedProblems } from './passed-problems.ts'
import { contentOf, type Content } from './step-body.ts'

type Journey = Pick<HarDraft, 'name' | 'steps'>

/**
 * Reads a recording of a browser as a journey. A recording of at most ten requests with a problem is refused with all
 * of them; a longer one is offered, so that a person chooses.
 * @param secrets takes the credentials of the requests
 */
export const readHar = (text: string, secrets: SecretFinder): Read<Journey> => {
  const recording = recordingOf(text)
  if ('problem' in recording) return { problems: [recording.problem] }
  const { entries } = recording
  const { requests, leftOut } = mainRequests(entries)
  const [first] = requests
  if (first === undefined)
    return {
      problems: [
        'The file has no answered request for a page or for data. Record the pages from the first one on.',
      ],
    }
  const notes = createNotes()
  for (const note of fileNotes(recording, leftOut)) notes.add(note)
  const origins = originsOf(entries)
  const cookieProblems = createCookieCheck(entries, requests, notes)
  const steps = requests.slice(0, importedMax).map((request, at) => {
    const step = at + 1
    const passed = [
      ...passedProblems(request, step, { requests, origins, notes }),
      ...cookieProblems(request, step),
    ]
    // the values of a step that is refused are stored nowhere
    const read = stepOf(request, passed.length > 0 ? createSecretFinder([]) : secrets, notes)
    return { step: read.step, problems: [...passed, ...numbered(read.problems, step)] }
  })
  if (requests.length > importedMax)
    notes.add(`The file has ${requests.length} requests; the first ${importedMax} are offered.`)
  const problems = steps.flatMap((each) => each.problems)
  if (problems.length > 0 && steps.length <= limits.stepsMax) return { problems }
  return { name: new URL(first.entry.request.url).host, steps, warnings: notes.list() }
}

const numbered = (problems: readonly string[], step: number): string[] =>
  problems.map((problem) => `Step ${step}: ${problem}`)

/** Headers that a browser adds by the state of its cache. */
const cacheHeaders = /^(?:cache-control|pragma|if-none-match|if-modified-since|if-range)$/i

/** The headers of a step, and by name what it does not send. */
const headersOf = ({ request }: Entry, { problems: refused }: Content, notes: Notes) => {
  const problems =
    request.unreadHeaders === 0 ? [] : [`${request.unreadHeaders} of its headers are not readable.`]
  const headers: [string, string][] = []
  for (const { name, value } of request.headers) {
    const key = name.toLowerCase()
    // the Host of HTTP/2; a program may write both
    if (key === ':authority' || key === 'host') {
      if (!headers.some((each) => each[0] === 'host' && each[1] === value)) headers.push(['host', value])
    }
    // the type belongs to the body, a cookie to the jar; a body that is refused has no length
    else if (key.startsWith(':') || key === 'content-type' || key === 'cookie') continue
    else if (key === 'content-length' && refused.length > 0) continue
    else if (isBrowserNoise(key)) notes.of('browser', key)
    else if (cacheHeaders.test(key)) notes.of('cache', key)
    else if (value.trim() === '') notes.of('empty', key)
    else headers.push([key, value])
  }
  return { headers, problems }
}

const stepOf = (
  { entry, last, answers }: MainRequest,
  secrets: SecretFinder,
  notes: Notes,
): { step: StepInput; problems: string[] } => {
  const { request } = entry
  const url = new URL(request.url)
  url.hash = ''
  const basic = basicOf(url)
  for (const note of targetNotes(request.url, url, 'the recording')) notes.add(note)
  const method = StepMethod.safeParse(request.method)
  const content = contentOf(request)
  const own = headersOf(entry, content, notes)
  const { body: plainBody, contentType: type } = content
  const { check, problems } = httpCheckOf(
    {
      method: method.success ? method.data : 'GET',
      url,
      headers: own.headers,
      body: plainBody,
      contentType: type,
      basic,
    },
    {},
    secrets,
    notes,
  )
  const { body = null, contentType = null, headers: sent, auth, hostHeader } = check.request ?? {}
  const { status } = last.response
  const options = {
    ...(sent !== undefined && { headers: sent }),
    ...(auth !== undefined && { auth }),
    ...(hostHeader !== undefined && { hostHeader }),
  }
  return {
    step: {
      name: `${request.method} ${url.pathname}`.slice(0, nameCharactersMax),
      method: method.success ? method.data : 'GET',
      url: check.url,
      body,
      contentType,
      // an unchanged file of the browser's cache arrives whole at a probe
      ...(status !== 304 && { assertions: { statusMin: status, statusMax: status } }),
      ...(Object.keys(options).length > 0 && { options }),
    },
    problems: [
      ...problems,
      ...own.problems,
      ...content.problems,
      ...queryProblems(entry, url),
      ...(method.success
        ? []
        : [
            `the method ${request.method.slice(0, 20)} is not possible; a step sends ${StepMethod.options.join(', ')}.`,
          ]),
      ...(answers.length - 1 > redirectsMax
        ? [`it redirects ${answers.length - 1} times; a step follows ${redirectsMax} redirects.`]
        : []),
      ...([307, 308].includes(entry.response.status) && entry.request.method !== 'GET'
        ? ['its redirect repeats the body; a step follows redirects by GET.']
        : []),
    ],
  }
}

const nameCharactersMax = 100

/** The credentials of the URL, which it loses. */
const basicOf = (url: URL): PlainRequest['basic'] => {
  const { username, password } = url
  url.username = ''
  url.password = ''
  const plain = (text: string): string => {
    try {
      return decodeURIComponent(text)
    } catch {
      return text
    }
  }
  return username === '' && password === '' ? null : { username: plain(username), password: plain(password) }
}

/** The URL of a recording has its whole query. A list beside it that has more contradicts it. */
const queryProblems = ({ request }: Entry, url: URL): string[] => {
  const missing = request.queryString.map(({ name }) => name).filter((name) => !hasParameter(url, name))
  return missing.length === 0
    ? []
    : [`its list of query parameters has ${missing.join(', ').slice(0, 200)}, which its URL does not have.`]
}

/** Tools write the names in the list decoded or as in the URL. */
const hasParameter = (url: URL, name: string): boolean =>
  url.searchParams.has(name) || url.search.includes(`${name}`)

const fileNotes = ({ entries, unread, creator }: Recording, leftOut: LeftOut): string[] => [
  ...(leftOut.size === 0
    ? []
    : [`Left out: ${[...leftOut].map(([kind, count]) => `${count} ${kind}`).join(', ')}.`]),
  ...(unread === 0
    ? []
    : [`Left out: ${unread} entries that are no requests with an answer as HAR 1.2 has them.`]),
  ...(entries.some(({ response }) => (response.content.text ?? '') !== '')
    ? []
    : [
        'The file has no contents of answers, so values that come out of an answer cannot be recognised. Export it with contents.',
      ]),
  ...(creator === 'WebInspector' && hasNoCredentials(entries)
    ? [
        'The file has no cookies and no Authorization header. Chromium leaves them out unless "Allow to generate HAR with sensitive data" is on in its settings.',
      ]
    : []),
]
