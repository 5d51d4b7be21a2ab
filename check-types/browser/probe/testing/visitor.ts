import type { SettingsAssignment } from '@probe-mesh/contracts/mesh/assignment'
import { BrowserSettings } from '../../settings.ts'
import type { ReadingKind } from '@probe-mesh/contracts/reading/reading'
import { ReadingDetails } from '@probe-mesh/contracts/reading/reading-details'
import { silentLogger } from '@probe-mesh/bus/logger'
import { randomUUID } from 'node:crypto'
import { createTrust } from '@probe-mesh/probe-agent/src/request/connect'
import { allowing, resolverOf } from '@probe-mesh/probe-agent/src/request/testing/ask'
import type { Probed } from '@probe-mesh/probe-agent/src/probes/probe'
import { openBrowserHost, type BrowserHost, type BrowserHostOptions } from '../host.ts'
import { waysOf, type ChromiumWay } from '../sandbox.ts'
import { probeBrowser } from '../probe-browser.ts'
import { unlimited } from '@probe-mesh/probe-agent/src/request/unlimited'

/** Allows only the first loopback address, as an operator would. */
export const guardOf = (names: Record<string, string[] | string> = {}) => ({
  allow: allowing('127.0.0.1/32'),
  resolver: resolverOf(names),
  ownAddresses: () => new Set<string>(),
  ...unlimited,
})

/** Runs browser checks for a test. */
export type Visitor = {
  readonly host: BrowserHost
  /** One attempt; its details are checked against the contract. */
  visit(settings: Partial<BrowserSettings> & { url: string }, more?: VisitOptions): Promise<Probed>
  close(): Promise<void>
}

type VisitOptions = Partial<Pick<SettingsAssignment<'browser'>, 'owner' | 'checkId'>> & {
  deadlineMs?: number
  signal?: AbortSignal
  accountId?: string
  kind?: ReadingKind
}

/** Generous: machines that run tests are slow. */
const deadlineMsDefault = 30_000

/** Like an agent, with the sandbox, unless this machine does not support it. */
const testWay = (): ChromiumWay => {
  const mayGoWithout = process.env['TEST_CHROMIUM_WITHOUT_SANDBOX'] === 'yes'
  const [sandboxed, ...without] = waysOf({ isRoot: process.getuid?.() === 0, mayGoWithout })
  const way = mayGoWithout ? without.at(-1) : sandboxed
  if (way === undefined) throw new Error('there is no way to start Chromium')
  return way
}

/** @param executablePath Chromium's; null: none */
export const createVisitor = (
  executablePath: string | null,
  options: Partial<BrowserHostOptions> & { names?: Record<string, string[] | string> } = {},
): Visitor => {
  const { names = {}, ...more } = options
  const guard = guardOf(names)
  const path = executablePath ?? '/nowhere'
  const host = openBrowserHost({
    executablePath: path,
    way: testWay(),
    guard,
    log: silentLogger,
    ...more,
  })
  const browser = executablePath === null ? null : host
  const trust = createTrust()
  return {
    host,
    visit: async (settings, visit = {}) => {
      const { deadlineMs = deadlineMsDefault, signal = new AbortController().signal } = visit
      const assignment: SettingsAssignment<'browser'> = {
        checkId: visit.checkId ?? randomUUID(),
        accountId: visit.accountId ?? 'a',
        region: 'fra',
        revision: 1,
        validFrom: 0,
        intervalSeconds: 60,
        owner: visit.owner ?? 'account',
        type: 'browser',
        settings: BrowserSettings.parse(settings),
      }
      const probed = await probeBrowser(
        assignment,
        {
          signal,
          deadlineMs,
          onConnected: () => undefined,
          kind: visit.kind ?? 'scheduled',
          freeTrial: false,
        },
        { ...guard, trust, now: Date.now, userAgent: 'ProbeMesh/test', sentRegion: null, browser },
      )
      if (probed.trace.details !== null) ReadingDetails.parse(probed.trace.details)
      return probed
    },
    close: host.close,
  }
}

/** The browser part of the details. @throws Error without one */
export const detailsOf = ({ trace: { details } }: Probed) => {
  if (details?.type !== 'browser') throw new Error('no details of a browser')
  return details
}
