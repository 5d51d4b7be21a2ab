import { join } from 'node:path'
import type { AgentReport } from '@probe-mesh/contracts/agent/agent-report'
import manifest from '../package.json' with { type: 'json' }
import { subscribing } from './agent-options.ts'
import type { AgentOptions } from './agent-options.ts'
import { openAssignmentCache } from './assignments/assignment-cache.ts'
import type { AgentMetrics } from './run/agent-metrics.ts'
import { createBook } from './share/book.ts'
import { createMembership } from './share/membership.ts'
import { followAssignments } from './assignments/follow-assignments.ts'
import type { Scheduler } from './schedule/scheduler.ts'
import { setTimer } from './schedule/set-timer.ts'
import { takeAssignments } from './assignments/take-assignments.ts'

/** Opens the agent's part of the region: its assignments, their cache, and the membership. */
export const openShare = (
  options: AgentOptions,
  scheduler: Scheduler,
  metrics: AgentMetrics,
  onSuperseded: () => void,
  report: () => AgentReport,
) => {
  const { config, bus, now, log, random = Math.random, browser } = options
  const { agent, region } = config
  const directory = join(config.dataDirectory, 'assignments', agent)
  const book = createBook(agent, warming(scheduler, browser), now())
  const onDropped = metrics.cacheLinesDropped
  const cache = openAssignmentCache({ directory, region, book, log, onDropped })
  const wasCached = book.size > 0
  const onRefused = metrics.assignmentRefused
  const taker = takeAssignments({ region, book, cache, setTimer, log, onRefused })
  const watch = followAssignments({
    bus,
    region,
    newWatch: taker.newWatch,
    subscribing: subscribing(options, 'the assignments'),
  })
  let members: readonly string[] = []
  const decided = Promise.withResolvers<void>()
  const warnWithoutBrowser = () => {
    const checks = book.withoutBrowser
    if (checks > 0)
      log.warn({ checks }, 'no agent of the region has Chromium; these browser checks do not run')
  }
  void taker.whenCurrent.then(warnWithoutBrowser)
  const membership = createMembership({
    presence: {
      agent,
      region,
      version: manifest.version,
      startedAt: now(),
      chromium: browser !== undefined,
      takesPhase: true,
      addresses: options.publicAddresses ?? [],
      ...(options.instance === undefined ? {} : { instance: options.instance }),
      ...(options.enrolledAs ? { enrolledAs: options.enrolledAs } : {}),
    },
    report,
    bus,
    path: join(directory, 'members'),
    nowMs: () => performance.now(),
    random,
    log,
    announceAfter: taker.whenCurrent,
    onMembers: (present) => {
      members = present.members
      book.shareAmong(present.members, present.chromium)
      warnWithoutBrowser()
      decided.resolve()
    },
    onSuperseded,
  })
  return {
    book,
    decided: decided.promise,
    get members() {
      return members
    },
    get hasAssignments() {
      return wasCached || taker.current
    },
    get isBusAway() {
      return membership.isBusAway
    },
    /** Hands this share over to the other agents. */
    withdraw: membership.close,
    close: async () => {
      taker.close()
      await watch.close()
      cache.close()
    },
  }
}

/** Loads Playwright when the first browser check arrives, before its slot is due. */
const warming = (
  scheduler: Scheduler,
  browser: AgentOptions['browser'],
): Pick<Scheduler, 'put' | 'remove' | 'release'> => ({
  put: (assignment, how) => {
    if (assignment.type === 'browser') browser?.warm()
    scheduler.put(assignment, how)
  },
  remove: scheduler.remove,
  release: scheduler.release,
})
