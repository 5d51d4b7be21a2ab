import { importedMax, type HarDraft } from '@probe-mesh/contracts/check/check-import'
import { ContentType } from '@probe-mesh/contracts/check/request-options'
import type { StepInput } from '@probe-mesh/contracts/check/step'
import { StepMethod } from '@probe-mesh/contracts/reading/reading-details'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { isBrowserNoise } from '../draft/credentials.ts'
import { createSecretFinder, type SecretFinder } from '../draft/found-secrets.ts'
import { httpCheckOf } from '../draft/http-check-of.ts'
import type { Read } from '../draft/read.ts'
import { entriesIn, type Entry } from './har-file.ts'
import { mainRequests, redirectsMax, type LeftOut, type MainRequest } from './main-requests.ts'
import { isSessionField, mayBePassed, originsOf, sentBy, type Origins } from './passed-values.ts'

type Journey = Pick<HarDraft, 'name' | 'steps'>

/**
 * Reads a recording of a browser as a journey. A recording of at most ten requests with a problem is refused with all
 * of them; a longer one is offered, so that a person chooses.
 * @param secrets takes the credentials of the requests
 */
export const readHar = (text: string, secrets: SecretFinder): Read<Journey> => {
  const entries = entriesIn(text)
  if ('problem' in entries) return { problems: [entries.problem] }
  const { requests, leftOut } = mainRequests(entries)
  const [first] = requests
  if (first === undefined)
    return {
      problems: [
        'The file has no answered request for a page or for data. Record the pages from the first one on.',
      ],
    }
  const origins = originsOf(entries)
  const warnings = [...leftOutWarnings(leftOut), ...contentWarnings(entries)]
  const steps = requests.slice(0, importedMax).map((request, at) => {
    const passed = passedProblems(request, at + 1, requests, origins)
    // the values of a step that is refused are stored nowhere
    const { step, problems } = stepOf(request, passed.length > 0 ? createSecretFinder([]) : secrets, warnings)
    return { step, problems: passed.length > 0 ? passed : numbered(problems, at + 1) }
  })
  if (requests.length > importedMax)
    warnings.push(`The file has ${requests.length} requests; the first ${importedMax} are offered.`)
  const problems = steps.flatMap((each) => each.problems)
  if (problems.length > 0 && steps.length <= limits.stepsMax) return { problems }
  return { name: new URL(first.entry.request.url).host, steps, warnings: [...new Set(warnings)] }
}

const numbered = (problems: readonly string[], step: number): string[] =>
  problems.map((problem) => `Step ${step}: ${problem}`)

/** Headers that a browser adds by the state of its cache, or for people. */
const cacheHeaders =
  /^(?:cookie|accept-language|cache-control|pragma|if-.*|range|origin-agent-cluster|x-client-.*)$/i

const stepOf = (
  { entry, last, answers }: MainRequest,
  secrets: SecretFinder,
  warnings: string[],
): { step: StepInput; problems: string[] } => {
  const { request } = entry
  const url = new URL(request.url)
  url.hash = ''
  const method = StepMethod.safeParse(request.method.toUpperCase())
  const content = contentOf(request)
  const headers = request.headers
    .filter(
      ({ name, value }) =>
        value !== '' &&
        !name.startsWith(':') &&
        !isBrowserNoise(name) &&
        !cacheHeaders.test(name) &&
        !setByProbe.test(name),
    )
    .map(({ name, value }): [string, string] => [name.toLowerCase(), value])
  const { check, problems } = httpCheckOf(
    {
      method: method.success ? method.data : 'GET',
      url,
      headers,
      body: content.body,
      contentType: content.contentType,
      basic: null,
    },
    {},
    secrets,
    warnings,
  )
  const { body = null, contentType = null, headers: sent, auth } = check.request ?? {}
  const { status } = last.response
  const options = { ...(sent !== undefined && { headers: sent }), ...(auth !== undefined && { auth }) }
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
      ...content.problems,
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
const setByProbe =
  /^(?:host|user-agent|accept-encoding|connection|content-length|content-type|te|expect|transfer-encoding|keep-alive|upgrade|proxy-.*)$/i

type Content = { body: string | null; contentType: string | null; problems: string[] }

const contentOf = ({ postData, headers }: Entry['request']): Content => {
  if (postData === null || postData === undefined) return { body: null, contentType: null, problems: [] }
  const named = headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value
  const type = named ?? postData.mimeType
  const contentType = ContentType.safeParse(type).success ? type : null
  if (type.toLowerCase().startsWith('multipart/'))
    return {
      body: null,
      contentType: null,
      problems: ['it sends a multipart form, such as a file; a journey cannot send one.'],
    }
  const params = postData.params ?? []
  const pairs = params.map(({ name, value }): [string, string] => [name, value ?? ''])
  const text = postData.text || (pairs.length > 0 ? new URLSearchParams(pairs).toString() : '')
  return { body: text === '' ? null : text, contentType: text === '' ? null : contentType, problems: [] }
}

/** Values that came out of an earlier answer. A journey would send those of the recording, which are over. */
const passedProblems = (
  { entry, index }: MainRequest,
  step: number,
  requests: readonly MainRequest[],
  origins: Origins,
): string[] => {
  const problems = sentBy(entry, contentOf(entry.request).body)
    .filter(mayBePassed)
    .flatMap(({ name, value }) => {
      const from = origins.answerWith(value, index)
      if (from !== null) {
        return [
          `Step ${step} sends ${name}, whose value came from the answer of ${placeOf(from, requests)}; journeys cannot pass values yet.`,
        ]
      }
      return isSessionField(name) && value !== ''
        ? [
            `Step ${step} sends ${name}, which servers make anew for each session, and no answer in the file has its value; journeys cannot pass values yet.`,
          ]
        : []
    })
  return [...new Set(problems)]
}

/** `step 1`, or the request that is no step. */
const placeOf = (index: number, requests: readonly MainRequest[]): string => {
  const at = requests.findIndex(({ answers }) => answers.includes(index))
  return at < 0 ? 'a request that is no step' : `step ${at + 1}`
}

const leftOutWarnings = (leftOut: LeftOut): string[] =>
  leftOut.size === 0
    ? []
    : [`Left out: ${[...leftOut].map(([kind, count]) => `${count} ${kind}`).join(', ')}.`]

const contentWarnings = (entries: readonly Entry[]): string[] =>
  entries.some(({ response }) => (response.content.text ?? '') !== '')
    ? []
    : [
        'The file has no contents of answers, so values that come out of an answer cannot be recognised. Export it with contents.',
      ]
