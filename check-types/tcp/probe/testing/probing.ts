import type { ReadingDetails } from '@probe-mesh/contracts/reading/reading-details'
import { Reading } from '@probe-mesh/contracts/reading/reading'
import { expect } from 'vitest'
import { createTrust } from '@probe-mesh/probe-agent/src/request/connect'
import { allowing, resolverOf } from '@probe-mesh/probe-agent/src/request/testing/ask'
import { startDeadline } from '@probe-mesh/probe-agent/src/probes/deadline'
import type { Probed, ProbeCapabilities, ProbeContext } from '@probe-mesh/probe-agent/src/probes/probe'
import { unlimited } from '@probe-mesh/probe-agent/src/request/unlimited'
import { seenCertificate } from '@probe-mesh/probe-agent/src/request/seen-certificate'

const trust = createTrust()

/** Allows only loopback. */
export const capabilitiesOf = (more: Partial<ProbeCapabilities> = {}): ProbeCapabilities => ({
  allow: allowing('127.0.0.0/8', '::1/128'),
  resolver: resolverOf({}),
  ownAddresses: () => new Set(),
  ...unlimited,
  trust,
  now: Date.now,
  userAgent: 'ProbeMesh/test (+uptime monitoring)',
  sentRegion: null,
  ...more,
})

export const assignmentBase = {
  checkId: '0190a000-0000-7000-8000-000000000001',
  accountId: 'a',
  region: 'fra',
  revision: 1,
  validFrom: 0,
  intervalSeconds: 10,
  owner: 'account',
} as const

export type Asking = { deadlineMs?: number; signal?: AbortSignal; onConnected?: () => void }

/** Runs one attempt with its own deadline; its reason must fit a reading. */
export const withDeadline = async (
  { deadlineMs = 20_000, signal, onConnected = () => undefined }: Asking,
  probe: (context: ProbeContext) => Promise<Probed>,
): Promise<Probed> => {
  const deadline = startDeadline(deadlineMs, signal ?? new AbortController().signal)
  try {
    const probed = await probe({ signal: deadline.signal, deadlineMs, onConnected })
    expectContract(probed)
    return probed
  } finally {
    deadline.clear()
  }
}

const expectContract = ({ trace, judgement }: Probed): void => {
  const { answered: _, unresolved: __, unroutable: ___, certificate = null, details, ...measured } = trace
  const reading = {
    checkId: assignmentBase.checkId,
    region: assignmentBase.region,
    slot: 0,
    kind: 'scheduled',
    number: 0,
    ...judgement,
    ...measured,
    ...(certificate === null ? {} : { certificate: seenCertificate(certificate) }),
    measuredAt: 0,
    attempts: 1,
    lateMs: 0,
    details,
  }
  expect(Reading.parse(reading)).toEqual(reading)
}

/** The details of one type; fails the test for another. */
export const detailsOf = <T extends ReadingDetails['type']>(
  { trace }: Probed,
  type: T,
): Extract<ReadingDetails, { type: T }> => {
  const { details } = trace
  if (details?.type !== type) throw new Error(`no details of ${type}`)
  return details as Extract<ReadingDetails, { type: T }>
}
