import { limits } from '@probe-mesh/contracts/schema/limits'
import type { TopState } from '../model/state.ts'

/** Of the 120 reads a minute of a key, for a list of up to 2,000 checks; beyond, a request for each 500 checks. */
export const listReadsPerMinuteMax = 6
/** For checks that someone opens. */
export const openedReadsPerMinuteMax = 30
const windowMs = 60_000

/** The maximum age of an answer before it is read again; the stream reports changes in between. */
const listMsMax = 60_000
/** For each request of the list: how soon it is read again after a new connection or for an unlisted check. */
export const listAgainMs = 10_000
const openedMsMax = 30_000

export type Read =
  | { kind: 'account' }
  | { kind: 'list' }
  | { kind: 'detail'; checkId: string }
  | { kind: 'readings'; checkId: string }

/** Times of the requests of the last minute. */
export type Sent = { list: readonly number[]; opened: readonly number[] }

/**
 * The next read, most needed first: the opened check, the list, the account.
 * @returns also how many reads wait for the limit
 */
export const nextRead = (
  state: TopState,
  { sent, nowMs }: { sent: Sent; nowMs: number },
): { read: Read | null; waiting: number } => {
  const due = dueReads(state, nowMs)
  const mostOfList = Math.max(listReadsPerMinuteMax, 2 + listRequests(state))
  const allowed = due.filter((read) =>
    isOfOpened(read)
      ? usedOf(sent.opened, nowMs) < openedReadsPerMinuteMax
      : usedOf(sent.list, nowMs) < mostOfList,
  )
  return { read: allowed[0] ?? null, waiting: due.length - allowed.length }
}

export const isOfOpened = ({ kind }: Read): boolean => kind === 'detail' || kind === 'readings'

const usedOf = (sent: readonly number[], nowMs: number): number =>
  sent.filter((sentMs) => nowMs - sentMs < windowMs).length

/** How many requests the list takes. */
export const listRequests = ({ checks }: TopState): number =>
  Math.max(1, Math.ceil(checks.size / limits.checkRowsPageMax))

const dueReads = (state: TopState, nowMs: number): Read[] => {
  const { connection, listedMs, account, opened, checks } = state
  const connectedMs = connection.connectedMs ?? 0
  const due: Read[] = []
  if (opened !== null) {
    const { checkId, readMs } = opened
    if (readMs === null || readMs < connectedMs) due.push({ kind: 'readings', checkId })
    const detailedMs = checks.get(checkId)?.detailedMs ?? null
    const isOld = detailedMs === null || detailedMs < connectedMs || nowMs - detailedMs >= openedMsMax
    if (checks.has(checkId) && isOld) due.push({ kind: 'detail', checkId })
  }
  if (isListDue(state, listedMs, nowMs)) due.push({ kind: 'list' })
  if (account === null) due.push({ kind: 'account' })
  return due
}

/** A large list is read less often, so that its requests keep within the limit. */
const isListDue = (state: TopState, listedMs: number | null, nowMs: number): boolean => {
  if (listedMs === null) return true
  const ageMs = nowMs - listedMs
  const requests = listRequests(state)
  const isBehind = state.isUnlisted || listedMs < (state.connection.connectedMs ?? 0)
  return ageMs >= Math.max(listMsMax, listAgainMs * requests) || (isBehind && ageMs >= listAgainMs * requests)
}
