import { once } from 'node:events'
import http, { type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { MultistepAssignment } from '@probe-mesh/contracts/mesh/assignment'
import { ReadingDetails } from '@probe-mesh/contracts/reading/reading-details'
import { Step } from '@probe-mesh/contracts/check/step'
import { noStepAssertions, type StepAssertions } from '@probe-mesh/contracts/check/step-assertions'
import { expect, onTestFinished } from 'vitest'
import { createTrust } from '../../../request/connect.ts'
import { allowing, resolverOf } from '../../../request/testing/ask.ts'
import type { KeyPair } from '../../../request/testing/certificates.ts'
import { portOf, startRawServer } from '../../../request/testing/raw-server.ts'
import { startDeadline } from '../../deadline.ts'
import type { ProbeCapabilities, ProbeContext } from '../../probe.ts'
import { runJourney } from '../probe-journey.ts'
import { unlimited } from '../../../request/unlimited.ts'

/** A request that the test server received. */
type ReceivedRequest = {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

type Answering = (asked: ReceivedRequest, response: ServerResponse) => void

/** A real http server, or an https one with these keys, until the test ends. */
export const serve = async (answer: Answering, keys: KeyPair | null = null) => {
  const requests: ReceivedRequest[] = []
  const listener = async (request: http.IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = request
    const asked = { method, url, headers, body: await text(request) }
    requests.push(asked)
    answer(asked, response)
  }
  const server = keys === null ? http.createServer(listener) : https.createServer(keys, listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const at = (path: string, host = '127.0.0.1'): string =>
    `${keys === null ? 'http' : 'https'}://${host}:${portOf(server)}${path}`
  return { at, requests }
}

export const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** A server with answers by path; unknown paths answer `ok`. */
export const saying = async (answers: Record<string, string | ((socket: Socket) => void)> = {}) => {
  const server = await startRawServer((socket, head) => {
    const answer = answers[/^\w+ (\S+)/.exec(head)?.[1] ?? ''] ?? ok
    if (typeof answer === 'string') socket.end(answer, 'latin1')
    else answer(socket)
  })
  onTestFinished(server.close)
  const at = (path: string, host = '127.0.0.1'): string => `http://${host}:${server.port}${path}`
  return { at, requests: server.requests, close: server.close }
}

type StepOf = Partial<Omit<Step, 'assertions'>> & { assertions?: Partial<StepAssertions> }

/** A step as in an assignment; default: a GET named `home`. */
export const step = ({ assertions = {}, ...more }: StepOf): Step =>
  Step.parse({
    name: 'home',
    method: 'GET',
    url: 'http://127.0.0.1/',
    body: null,
    contentType: null,
    ...more,
    assertions: { ...noStepAssertions, ...assertions },
  })

const trust = createTrust()

/** Runs a journey once, with only loopback allowed. */
export const run = async (
  steps: Step[],
  {
    owner = 'account',
    requestMsMax = 20_000,
    deadlineMs = 20_000,
    signal = new AbortController().signal,
    onConnected = () => undefined,
    ...capabilities
  }: Partial<
    Pick<MultistepAssignment, 'owner'> & { requestMsMax: number } & ProbeContext & ProbeCapabilities
  > = {},
) => {
  const deadline = startDeadline(deadlineMs, signal)
  const assignment: MultistepAssignment = {
    checkId: '0190a000-0000-7000-8000-000000000001',
    accountId: 'a',
    region: 'fra',
    revision: 1,
    validFrom: 0,
    intervalSeconds: 60,
    owner,
    type: 'multistep',
    steps,
  }
  const context = { signal: deadline.signal, deadlineMs, onConnected }
  const capable = {
    allow: allowing('127.0.0.0/8'),
    resolver: resolverOf({}),
    ownAddresses: () => new Set<string>(),
    ...unlimited,
    trust,
    now: () => 1_795_000_000_123,
    userAgent: 'ProbeMesh/test (+uptime monitoring)',
    sentRegion: null,
    ...capabilities,
  }
  try {
    const { trace, judgement } = await runJourney(assignment, context, capable, requestMsMax)
    expect(ReadingDetails.parse(trace.details)).toEqual(trace.details)
    const hops = trace.details?.type === 'multistep' ? trace.details.hops : []
    return { ...judgement, trace, hops }
  } finally {
    deadline.clear()
  }
}
