import { isCredentialField } from '../draft/credentials.ts'
import { snakeCase } from '../draft/found-secrets.ts'
import type { Notes } from '../draft/notes.ts'
import { headerOf, type Entry } from './har-file.ts'
import type { MainRequest } from './main-requests.ts'
import { isSessionField } from './passed-values.ts'

/** Cookies whose names say that a server knows a person or a session by them. */
const sessionName =
  /(?:^|_)(?:s?sid|sess|session|sessionid|jsessionid|phpsessid|auth|authn|jwt|login|remember|identity|access|refresh|sso|oauth|clearance|aspxauth|asp_net)(?:_|$)|sessid|session/

const isSessionCookie = (name: string): boolean =>
  sessionName.test(snakeCase(name)) || isCredentialField(name) || isSessionField(name)

/**
 * Checks the cookies of steps against the jar of their journey, which starts empty and gets what answers of steps set.
 * @returns for a step the cookies of a session that its journey would not have, by name; others become notes
 */
export const createCookieCheck = (
  entries: readonly Entry[],
  requests: readonly MainRequest[],
  notes: Notes,
): ((request: MainRequest, step: number) => string[]) => {
  const ofSteps = new Set(requests.flatMap(({ answers }) => answers))
  const [bySteps, byOthers] = [new Map<string, number>(), new Map<string, number>()]
  for (const [at, entry] of entries.entries()) {
    const into = ofSteps.has(at) ? bySteps : byOthers
    for (const name of setCookies(entry)) if (!into.has(name)) into.set(name, at)
  }
  const isSetBefore = (by: ReadonlyMap<string, number>, name: string, index: number): boolean =>
    (by.get(name) ?? Number.POSITIVE_INFINITY) < index
  return ({ entry, index }, step) =>
    sentCookies(entry).flatMap((name) => {
      if (isSetBefore(bySteps, name, index)) return []
      if (isSetBefore(byOthers, name, index))
        return [
          `Step ${step} sends the cookie ${name}, which the answer of a request that is no step set; journeys cannot pass values yet.`,
        ]
      if (isSessionCookie(name))
        return [
          `Step ${step} sends the cookie ${name}, which no answer in the file set. Record the pages from the login on, in a private window.`,
        ]
      notes.of('cookies', name)
      return []
    })
}

/** Names of the cookies of a request: of its header, and of the list beside it. */
const sentCookies = ({ request }: Entry): string[] => {
  const header = request.headers
    .filter(({ name }) => name.toLowerCase() === 'cookie')
    .flatMap(({ value }) => value.split(';'))
    .map((pair) => pair.split('=', 1)[0]?.trim() ?? '')
  return [...new Set([...header, ...request.cookies.map(({ name }) => name)])].filter((name) => name !== '')
}

/** Names of the cookies that an answer sets. Some tools write several into one header, a line each. */
const setCookies = ({ response }: Entry): string[] => [
  ...response.headers
    .filter(({ name }) => name.toLowerCase() === 'set-cookie')
    .flatMap(({ value }) => value.split('\n'))
    .map((cookie) => cookie.split('=', 1)[0]?.trim() ?? ''),
  ...response.cookies.map(({ name }) => name),
]

/** Chromium leaves cookies and credentials out of a file unless a person asks for them. */
export const hasNoCredentials = (entries: readonly Entry[]): boolean =>
  entries.every(
    ({ request, response }) =>
      ['cookie', 'authorization'].every((name) => headerOf(request.headers, name) === null) &&
      headerOf(response.headers, 'set-cookie') === null &&
      request.cookies.length === 0,
  )
