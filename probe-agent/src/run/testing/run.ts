import type { Socket } from 'node:net'
import { agentPools } from '@probe-mesh/contracts/agent/agent-pools'
import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import type { Assignment, HttpAssignment } from '@probe-mesh/contracts/mesh/assignment'
import { Reading } from '@probe-mesh/contracts/reading/reading'
import { expect, onTestFinished } from 'vitest'
import { createTrust } from '../../request/connect.ts'
import { allowing, resolverOf } from '../../request/testing/ask.ts'
import { startRawServer } from '../../request/testing/raw-server.ts'
import type { Run, RunContext } from '../../schedule/run.ts'
import { createHandshakes } from '../handshakes.ts'
import { createRunner, type RunnerCapabilities } from '../runner.ts'
import { unlimited } from '../../request/unlimited.ts'

const trust = createTrust()
export const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
export const unavailable = 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n'
/** A loop that was blocked for this long. */
export const lagOf = (ms: number) => ({
  worstSince: () => ms,
  blockedSince: () => ms,
  close: () => undefined,
})

export const assignmentOf = (url: string, more: Partial<HttpAssignment> = {}): HttpAssignment => ({
  checkId: '0190a000-0000-7000-8000-000000000001',
  accountId: 'a',
  region: 'fra',
  revision: 1,
  validFrom: 0,
  intervalSeconds: 10,
  type: 'http',
  url,
  assertions: noAssertions,
  owner: 'account',
  ...more,
})
export const contextOf = (more: Partial<RunContext> = {}): RunContext => ({
  slot: 1_795_000_000_000,
  kind: 'scheduled',
  number: 0,
  lateMs: 1.5,
  signal: new AbortController().signal,
  ...more,
})
/** A runner on loopback whose readings are all checked against the contract. */
export const setUp = (more: Partial<RunnerCapabilities> = {}, around: (run: Run) => Run = (run) => run) => {
  const errors: object[] = []
  const runner = createRunner({
    allow: allowing('127.0.0.0/8'),
    resolver: resolverOf({}),
    ownAddresses: () => new Set(),
    ...unlimited,
    trust,
    browser: null,
    connectivity: { online: async () => true },
    // a slow machine lets runs wait, and measures them all the same
    handshakes: createHandshakes(agentPools.handshakes.bounds, 60_000),
    lag: lagOf(0),
    now: () => 1_795_000_000_123,
    log: {
      info: () => undefined,
      warn: () => undefined,
      error: (fields) => errors.push(fields),
    },
    version: 'test',
    probesUrl: null,
    ...more,
  })
  const wholeRun = around(runner.run)
  const run = async (url: string, assignment: Partial<HttpAssignment> = {}, context = contextOf()) => {
    return runAny(assignmentOf(url, assignment), context)
  }
  const runAny = async (assignment: Assignment, context = contextOf()) => {
    const reading = await wholeRun(assignment, context)
    expect(Reading.parse(reading)).toEqual(reading)
    return reading
  }
  return { run, runAny, errors, counts: runner.counts }
}
/** A server with a list of answers, the last one repeated. */
export const answering = async (...answers: (string | ((socket: Socket) => void))[]) => {
  const server = await startRawServer((socket) => {
    const answer = answers[Math.min(server.requests.length, answers.length) - 1] ?? ''
    if (typeof answer === 'string') socket.end(answer)
    else answer(socket)
  })
  onTestFinished(server.close)
  return { url: `http://127.0.0.1:${server.port}/`, requests: server.requests }
}
