import type { Socket } from 'node:net'
import { parseTarget, type Target } from '@probe-mesh/contracts/target/target'
import {
  targetRateExceeded,
  deadlineFailure,
  deniedTarget,
  stopped,
  unsafeTarget,
} from '@probe-mesh/probe-agent/src/request/failure'
import { pinAddress, type Guard } from '@probe-mesh/probe-agent/src/request/guard'
import type { Failure } from '@probe-mesh/probe-agent/src/request/outcome'
import { connectPinned } from '@probe-mesh/probe-agent/src/request/reach'
import { roundMs } from '@probe-mesh/probe-agent/src/request/round'
import { createStop } from '@probe-mesh/probe-agent/src/request/stop'
import { startDeadline } from '@probe-mesh/probe-agent/src/probes/deadline'
import { authorityOf } from './proxy-headers.ts'
import type { ProxyRun, Reached } from './proxy-run.ts'

/** Limit of a page's connection, name resolution included, ms: less than any attempt. */
const dialMsMax = 10_000

/** A connection to a target, or why there is none: refused, failed, or over the limit. */
type Dialled =
  | { ok: true; socket: Socket; target: Target; reached: Reached }
  | { ok: false; why: 'refused' | 'failed' | 'over limit'; failure: Failure }

const overLimit: Failure = {
  cause: 'probe_page_limit',
  fault: 'probe',
  reason: 'the page loads more than the probe allows for one page',
}

/**
 * Connects for a page, by the same rules as every request of a check: the URL rule, then all its
 * addresses, then the pinned one (S-509, S-3602).
 * @param url only its origin is checked: a page's path may be longer than a target's
 */
export const dial = async (url: URL, run: ProxyRun, guard: Guard): Promise<Dialled> => {
  const parsed = parseTarget(`${url.origin}/`, { allow: guard.allow })
  if (!parsed.ok) return refuse(url, run)
  const { target } = parsed
  const reached = run.begin(authorityOf(url))
  if (reached === null) return { ok: false, why: 'over limit', failure: overLimit }
  const deadline = startDeadline(dialMsMax, run.signal)
  const stop = createStop(deadline.signal, dialMsMax)
  try {
    const startedAt = performance.now()
    const pinned = await pinAddress(target, guard)
    if (!pinned.ok) {
      if (pinned.failure === unsafeTarget) return refuse(url, run)
      // these bounds are the probe's, not the page's
      if (pinned.failure === targetRateExceeded || pinned.failure === deniedTarget) run.meetBound()
      return fail(reached, pinned.failure)
    }
    if (target.literal === 0) reached.dnsMs = roundMs(performance.now() - startedAt)
    if (run.signal.aborted) return fail(reached, stopped)
    if (deadline.signal.aborted) return fail(reached, deadlineFailure('dns', dialMsMax))
    reached.phase = 'connect'
    reached.address = pinned.pin.address
    const { address, result } = await connectPinned(
      pinned.pin,
      target.port,
      null,
      stop,
      guard,
      reached.unroutable,
    )
    reached.address = address
    reached.connectMs = result.connectMs
    if ('failure' in result) return fail(reached, result.failure)
    reached.phase = 'ttfb'
    result.socket.setNoDelay(true)
    run.own(result.socket)
    return { ok: true, socket: result.socket, target, reached }
  } finally {
    stop.close()
    deadline.clear()
  }
}

const fail = (reached: Reached, failure: Failure): Dialled => {
  reached.failure = failure
  return { ok: false, why: 'failed', failure }
}

/** Records the refusal for the host, so that a refused page itself is recognized. */
const refuse = (url: URL, run: ProxyRun): Dialled => {
  run.refuse()
  const reached = run.begin(authorityOf(url))
  if (reached !== null) {
    reached.address = null
    reached.failure = unsafeTarget
  }
  return { ok: false, why: 'refused', failure: unsafeTarget }
}
