import type { SettingsAssignment } from '@probe-mesh/contracts/mesh/assignment'
import type { DnsSettings } from '../../settings.ts'
import { ReadingDetails } from '@probe-mesh/contracts/reading/reading-details'
import { expect, onTestFinished } from 'vitest'
import { createTrust } from '@probe-mesh/probe-agent/src/request/connect'
import { allowing, resolverOf } from '@probe-mesh/probe-agent/src/request/testing/ask'
import type { ProbeCapabilities, ProbeContext } from '@probe-mesh/probe-agent/src/probes/probe'
import { createDnsProbe } from '../probe-dns.ts'
import { startDnsServer, type DnsQuery } from './dns-server.ts'
import { unlimited } from '@probe-mesh/probe-agent/src/request/unlimited'

const trust = createTrust()

const assignmentOf = (settings: Partial<DnsSettings>): SettingsAssignment<'dns'> => ({
  checkId: '0190a000-0000-7000-8000-000000000001',
  accountId: 'a',
  region: 'fra',
  revision: 1,
  validFrom: 0,
  intervalSeconds: 10,
  owner: 'account',
  type: 'dns',
  settings: {
    name: 'www.example.org',
    recordType: 'A',
    resolver: null,
    expect: null,
    ...settings,
  },
})

export type Around = {
  /** The resolvers in the machine's configuration. */
  own?: readonly string[]
  deadlineMs?: number
  signal?: AbortSignal
  capabilities?: Partial<ProbeCapabilities>
  onConnected?: ProbeContext['onConnected']
}

/** One attempt with loopback allowed; its details are checked against the contract. */
export const probe = async (
  settings: Partial<DnsSettings>,
  { own = [], deadlineMs = 10_000, signal, capabilities = {}, onConnected }: Around = {},
) => {
  const { trace, judgement } = await createDnsProbe(() => own)(
    assignmentOf(settings),
    {
      signal: signal ?? AbortSignal.timeout(deadlineMs),
      deadlineMs,
      onConnected: onConnected ?? (() => undefined),
    },
    {
      allow: allowing('127.0.0.0/8'),
      resolver: resolverOf({}),
      ownAddresses: () => new Set(),
      ...unlimited,
      trust,
      now: Date.now,
      userAgent: 'test',
      sentRegion: null,
      ...capabilities,
    },
  )
  const details = ReadingDetails.parse(trace.details)
  expect(details).toEqual(trace.details)
  if (details.type !== 'dns') throw new Error('details of another type')
  const { verdict, fault, cause, reason } = judgement
  expect(reason ?? '').toMatch(/^.{0,300}$/)
  return { trace, details, judgement, said: `${verdict} ${fault} ${cause}: ${reason}` }
}

/** A server that closes with the test. */
export const server = async (reply: (asked: DnsQuery) => void) => {
  const started = await startDnsServer(reply)
  onTestFinished(started.close)
  return started
}
