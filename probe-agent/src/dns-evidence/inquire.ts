import { getServers } from 'node:dns'
import { agentPools, nameQuestionsMax } from '@probe-mesh/contracts/agent/agent-pools'
import type { DnsRecordType } from '@probe-mesh/check-types/dns/record-type'
import { createFairPool, type FairPool } from '@probe-mesh/runtime/fair-pool'
import { queryResolver } from '@probe-mesh/check-types/dns/probe/query-resolver'
import { ownResolversOf } from '@probe-mesh/check-types/dns/probe/own-resolvers'
import type { AddressGuard } from '../request/guard.ts'
import { inquiryMsMax } from '../schedule/run.ts'
import { queryZoneServers } from './query-zone-servers.ts'
import { controlQuestionsMax, type NameControls } from './controls.ts'
import { nothingAsked, type NameFacts, type ResolverResult } from './name-facts.ts'

/** A name that an attempt did not resolve, and the result of the probe's resolver. */
type Unresolved = { name: string; type: DnsRecordType; resolverResult: ResolverResult }

/** Finds out why a name does not resolve, with a bounded number of questions. Never rejects. */
export type NameInquiry = {
  /**
   * @param run.guard checks and counts each address
   * @param run.sinceMs start of the failed attempt, by `performance.now()`
   */
  ask(
    unresolved: Unresolved,
    run: { accountId: string; guard: AddressGuard; signal: AbortSignal; sinceMs: number },
  ): Promise<NameFacts>
  /** Whether the resolver resolves, or lately resolved, any name. */
  resolvesAny(name: string, sinceMs: number): Promise<boolean>
  /** Records the host of a run whose name was resolved. */
  addResolved: NameControls['addResolved']
  /** For metrics. */
  readonly pool: FairPool
}

const uncheckedMsMax = 2_000

export const createNameInquiry = ({
  controls,
  bounds = agentPools.nameInquiries.bounds,
  port,
}: {
  controls: NameControls
  bounds?: typeof agentPools.nameInquiries.bounds
  /** Port of the zones' servers; only tests change it. */
  port?: number
}): NameInquiry => {
  const pool = createFairPool(bounds)
  return {
    pool,
    addResolved: controls.addResolved,
    resolvesAny: async (name, sinceMs) => (await controls.ask(name, true, sinceMs)) !== 'none',
    ask: async ({ name, type, resolverResult }, { accountId, guard, signal, sinceMs }) => {
      const isDenied = resolverResult === 'NXDOMAIN' || resolverResult === 'NODATA'
      const compared = controls.ask(name, isDenied, sinceMs)
      const place = pool.takeNow(accountId)
      if (place === null) {
        return { name, controls: await compared, unchecked: null, zone: nothingAsked }
      }
      const time = startTime(signal)
      const questions = { left: nameQuestionsMax - controlQuestionsMax }
      const asking = { name, questions, guard, signal: time.signal, ...(port && { port }) }
      try {
        if (resolverResult === 'failed') questions.left -= 1
        const [known, unchecked, zone] = await Promise.all([
          compared,
          resolverResult === 'failed' ? askUnchecked({ name, type }, guard, time.signal) : null,
          // the zone's servers are asked for addresses only
          resolverResult === 'NODATA' && type !== 'A' ? nothingAsked : queryZoneServers(asking),
        ])
        return { name, controls: known, unchecked, zone }
      } finally {
        time.end()
        place.release()
      }
    },
  }
}

/** Ends with the run or after the limit; a question cut short proves nothing. */
const startTime = (outer: AbortSignal): { signal: AbortSignal; end(): void } => {
  const controller = new AbortController()
  const abort = (): void => controller.abort(new Error('the inquiry is over'))
  const timer = setTimeout(abort, inquiryMsMax)
  outer.addEventListener('abort', abort, { once: true })
  if (outer.aborted) abort()
  return {
    signal: controller.signal,
    end: () => {
      clearTimeout(timer)
      outer.removeEventListener('abort', abort)
    },
  }
}

/** The same resolver's response code with DNSSEC checking disabled; null without an answer. */
const askUnchecked = async (
  question: { name: string; type: DnsRecordType },
  { resolver, allow }: Pick<AddressGuard, 'resolver' | 'allow'>,
  signal: AbortSignal,
): Promise<string | null> => {
  const [own] = ownResolversOf(resolver.getServers?.() ?? getServers())
  if (own === undefined) return null
  const options = { msMax: uncheckedMsMax, local: allow.covers(own.address) }
  const context = { signal, deadlineMs: uncheckedMsMax, onConnected: () => undefined }
  const exchange = await queryResolver({ ...question, how: 'unchecked' }, own, options, context)
  return exchange.ok ? exchange.answer.rcode : null
}
