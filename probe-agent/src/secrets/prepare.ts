import { requestOfStep } from '@probe-mesh/contracts/check/step'
import { randomBytes } from 'node:crypto'
import type { SecureContext } from 'node:tls'
import type {
  Assignment,
  HttpRequestAssignment,
  MultistepAssignment,
  MultistepRequestAssignment,
} from '@probe-mesh/contracts/mesh/assignment'
import { secretsOfRequest, type HttpRequest } from '@probe-mesh/contracts/check/request-options'
import { requestSpanId } from '@probe-mesh/contracts/reading/trace-ids'
import { mayReceive, type SealedSecrets } from '@probe-mesh/contracts/secret/secret'
import type { Message } from '../request/message.ts'
import type { Failure } from '../request/outcome.ts'
import { clientProblem } from './client-validity.ts'
import { fillRequest } from './fill-request.ts'
import { createMasks, type HiddenFrom, type Masks } from './masks.ts'
import type { SecretOpener } from './secret-opener.ts'

/** The own requests of a check, ready to be sent, and what hides their secrets. */
export type Prepared = {
  /** By the place of a step, from 0; without the steps that have no options. */
  messages: ReadonlyMap<number, Message>
  masks: Masks
  /** Sent with the requests that want it; null: with none. */
  traceId: string | null
  /** Why a server may refuse a client certificate of the check; null: none has expired. */
  clientProblem: Failure | null
}

type WithRequests = HttpRequestAssignment | MultistepRequestAssignment | MultistepAssignment

/** Whether an assignment sends more than plain requests. */
export const hasRequests = (assignment: Assignment): assignment is WithRequests =>
  assignment.type === 'http_request' ||
  assignment.type === 'multistep_request' ||
  (assignment.type === 'multistep' && assignment.steps.some(({ options }) => options !== undefined))

export const unavailable = {
  notSent:
    'the secrets of the check were not sent to the agent; enrol a private agent again, else ask the operator',
  noKey: 'the agent has no key for secrets; its operator must set the key of the region',
  otherKey:
    'the agent cannot open the secrets of the check; its key must be that of the region, a private agent needs its present token',
} as const

/**
 * Opens the secrets of a check and fills its requests. Nothing is sent unless all of them can be sent.
 * @returns a fault of the probe: the target was not measured
 */
export const prepare = (
  assignment: WithRequests,
  { opener, trust, nowMs }: { opener: SecretOpener | null; trust: SecureContext; nowMs: number },
): Prepared | Failure => {
  const requests = requestsOf(assignment)
  const opened = openFor(assignment, requests, opener)
  if (typeof opened === 'string') return failure(opened)
  const traceId = requests.some(({ request }) => request.sendTrace === true) ? randomHex(16) : null
  const filled = requests.map(({ at, url, request, where }) => {
    const trace = request.sendTrace === true && traceId !== null ? traceParent(traceId, at + 1) : null
    const each = fillRequest(url, request, { secrets: opened, trust, trace })
    return each.ok
      ? { ...each, at }
      : { ...each, problems: each.problems.map((problem) => `${where}${problem}`) }
  })
  const problems = filled.flatMap((each) => (each.ok ? [] : each.problems))
  if (problems.length > 0) return failure(problems.join('; '))
  return {
    messages: new Map(filled.flatMap((each) => (each.ok ? [[each.at, each.message]] : []))),
    traceId,
    clientProblem:
      requests.map(({ request }) => clientProblem(request, nowMs)).find((each) => each !== null) ?? null,
    masks: createMasks([...hiddenOf(opened, requests), ...requests.flatMap(literals)]),
  }
}

/** W3C Trace Context: version, trace, a span for this request, sampled. */
const traceParent = (traceId: string, request: number): string =>
  `00-${traceId}-${requestSpanId(traceId, request)}-01`

/** Ids of zeros alone are invalid. */
const randomHex = (bytes: number): string => {
  const text = randomBytes(bytes).toString('hex')
  return /^0+$/.test(text) ? randomHex(bytes) : text
}

/** The cause of all that keeps a request with secrets from being sent. */
export const secretUnavailable = 'secret_unavailable'

const failure = (reason: string): Failure => ({ cause: secretUnavailable, fault: 'probe', reason })

type Asked = { at: number; url: string; request: HttpRequest; where: string }

const requestsOf = (assignment: WithRequests): Asked[] => {
  if (assignment.type === 'http_request') {
    return [{ at: 0, url: assignment.url, request: assignment.request, where: '' }]
  }
  // as before options existed, the body of a step without any is sent as it is
  return assignment.steps.flatMap((step, at) =>
    step.options === undefined
      ? []
      : [{ at, url: step.url, request: requestOfStep(step), where: `Step ${at + 1} (${step.name}): ` }],
  )
}

/** @returns why the secrets cannot be opened, as text */
const openFor = (
  assignment: WithRequests,
  requests: readonly Asked[],
  opener: SecretOpener | null,
): SealedSecrets | string => {
  const isUsed = requests.some(({ request }) => secretsOfRequest(request).length > 0)
  const sealed = 'sealed' in assignment ? assignment.sealed : undefined
  if (!isUsed) return {}
  if (opener === null) return unavailable.noKey
  if (sealed === undefined) return unavailable.notSent
  const { checkId, region } = assignment
  try {
    return opener.open({ checkId, region, sealed })
  } catch {
    return unavailable.otherKey
  }
}

/** Without keys of client certificates, which no target gets. */
const hiddenOf = (secrets: SealedSecrets, requests: readonly Asked[]): HiddenFrom[] => {
  const sent = new Set(
    requests.flatMap(({ request }) => secretsOfRequest({ ...request, clientCertificate: undefined })),
  )
  return Object.entries(secrets)
    .filter(([name]) => sent.has(name))
    .map(([name, secret]) => ({
      value: secret.value,
      shown: `[secret ${name}]`,
      mayGet: (url) => mayReceive(secret, url),
    }))
}

/** Credentials that the check itself holds, instead of a secret. */
const literals = ({ url, request: { auth } }: Asked): HiddenFrom[] => {
  if (auth === undefined) return []
  const host = URL.parse(url)?.hostname
  const mayGet = (to: URL): boolean => to.hostname === host
  const [value, shown] = auth.type === 'basic' ? [auth.password, '[password]'] : [auth.token, '[token]']
  return value === '' || value.includes('{{') ? [] : [{ value, shown, mayGet }]
}
