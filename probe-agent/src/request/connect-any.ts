import { isIPv6 } from 'node:net'
import type { Connection, ConnectFailure } from './connect.ts'
import { targetRateExceeded } from './failure.ts'
import { otherAddress } from './notes.ts'
import type { Stop } from './stop.ts'

type Attempted = Connection | ConnectFailure

/**
 * Starts one connection.
 * @param onTcp called after the TCP handshake, before TLS
 */
export type Begin = (
  address: string,
  stop: Pick<Stop, 'during' | 'failure'>,
  onTcp: () => void,
) => Promise<Attempted>

/** The result, its address, and a note about the other addresses. */
export type AnyResult = { address: string; result: Attempted; note: string | null }

/**
 * How long an address may be silent before the next one is tried as well, as a share of the
 * remaining time.
 */
const silentShare = 0.4

/**
 * Connects to the first of a target's addresses, and to the next when one fails or is silent for
 * too long: the silent one continues, and the first to connect wins. A failure after the TCP
 * handshake is the target's answer, and no other address is tried (S-313).
 * @param addresses all checked by the guard; the order is kept
 */
export const connectAny = (
  addresses: readonly [string, ...string[]],
  begin: Begin,
  stop: Stop,
): Promise<AnyResult> => {
  const [first, second] = addresses
  if (second === undefined) {
    return begin(first, stop, ignore).then((result) => ({ address: first, result, note: null }))
  }
  return new Promise((resolve, reject) => {
    const ends = new Map<string, () => void>()
    const failed: { address: string; result: ConnectFailure }[] = []
    let next = 0
    let stopped = false
    let taken: string | null = null
    let timer: NodeJS.Timeout | undefined

    const endOthers = (but: string | null): void => {
      for (const [address, end] of ends) if (address !== but) end()
    }
    const settle = (address: string, result: Attempted): void => {
      clearTimeout(timer)
      stop.during(null)
      const why = failed.find((each) => each.address === first)?.result.failure.reason ?? null
      const note =
        address === first || 'failure' in result
          ? null
          : otherAddress({ isIpv6: isIPv6(first), reason: why }, { isIpv6: isIPv6(address) })
      resolve({ address, result, note })
    }
    const onFailure = (address: string, result: ConnectFailure): void => {
      failed.push({ address, result })
      if (next < addresses.length && !stopped) return beginNext()
      if (failed.length < next) return
      const failure = pickFailure(failed)
      settle(failure?.address ?? address, failure?.result ?? result)
    }
    const beginNext = (): void => {
      clearTimeout(timer)
      const address = addresses[next] ?? first
      next += 1
      if (next < addresses.length) timer = setTimeout(beginNext, silentShare * stop.leftMs())
      const own: Pick<Stop, 'during' | 'failure'> = {
        during: (end) => {
          if (end === null) ends.delete(address)
          else ends.set(address, end)
          if (stopped) end?.()
        },
        failure: stop.failure,
      }
      const onTcp = (): void => {
        if (taken !== null) return
        taken = address
        clearTimeout(timer)
        next = addresses.length
        endOthers(address)
      }
      begin(address, own, onTcp).then((result) => {
        if (taken === address) settle(address, result)
        else if (taken === null && 'failure' in result) onFailure(address, result)
      }, reject)
    }
    stop.during(() => {
      stopped = true
      endOthers(null)
    })
    if (taken === null && next === 0) beginNext()
  })
}

/**
 * Picks one failure when all addresses failed: an address that was not tried leaves it open. A
 * fault of the target counts before one of the probe, such as a missing address family. Among
 * equals the first counts.
 */
const pickFailure = <T extends { result: ConnectFailure }>(failed: readonly T[]): T | undefined =>
  failed.find(({ result }) => result.failure === targetRateExceeded) ??
  failed.find(({ result }) => result.failure.fault === 'target') ??
  failed[0]

const ignore = (): void => undefined
